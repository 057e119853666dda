import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds sessions of operators in browsers. */
export class OperatorSessions1700000000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table operator_sessions');
  }
}

// tenant_id is the id of the installation, which row-level security hides from transactions of tenants.
const up = `
create table operator_sessions (
  id uuid not null constraint operator_sessions_pkey primary key,
  tenant_id uuid not null,
  kind text not null constraint operator_sessions_kind_check check (kind in ('admin_token', 'service_token', 'oidc')),
  service_token_id uuid,
  issuer text,
  subject text,
  provider_session text,
  name text,
  role text constraint operator_sessions_role_check check (role in ('viewer', 'operator', 'auditor', 'admin')),
  tenant_ids uuid[],
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
`;
