import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds acts of operators that wait for a second operator. */
export class Approvals1700000000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table approvals');
  }
}

const up = `
create table approvals (
  id uuid not null constraint approvals_pkey primary key,
  tenant_id uuid not null,
  action text not null,
  resource text,
  input jsonb not null,
  basis jsonb,
  reason text,
  requested_by jsonb not null,
  status text not null default 'pending'
    constraint approvals_status_check check (status in ('pending', 'approved', 'rejected', 'stale')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_by jsonb,
  decided_at timestamptz,
  decision_reason text,
  operation_id uuid
);
create index approvals_tenant on approvals (tenant_id, id);
create index approvals_pending on approvals (tenant_id, expires_at) where status = 'pending';
`;
