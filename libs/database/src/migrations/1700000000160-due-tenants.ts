import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds when the directory next has time-based work for a tenant. */
export class DueTenants1700000000160 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table due_tenants (
  tenant_id uuid not null constraint due_tenants_pkey primary key,
  next_at timestamptz not null,
  seen_last bigint,
  seen_last_at timestamptz,
  notes bigint not null default 0
);
`;

const down = `
drop table due_tenants;
`;
