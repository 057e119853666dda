import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds tokens of operators, with a role and tenants. */
export class ServiceTokens1700000000081 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table service_tokens');
  }
}

// tenant_id is the id of the installation, which row-level security hides from transactions of tenants.
const up = `
create table service_tokens (
  id uuid not null constraint service_tokens_pkey primary key,
  tenant_id uuid not null,
  name text not null,
  role text not null constraint service_tokens_role_check check (role in ('viewer', 'operator', 'auditor', 'admin')),
  tenant_ids uuid[],
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index service_tokens_listed on service_tokens (tenant_id, created_at, id);
`;
