import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds limits of tenants, and the networks from which an API key may be used. */
export class TenantQuotas1700000000121 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table tenant_quotas (
  tenant_id uuid not null constraint tenant_quotas_pkey primary key,
  quotas jsonb not null,
  updated_at timestamptz not null
);
alter table api_keys add column allowed_networks text[];
`;

const down = `
alter table api_keys drop column allowed_networks;
drop table tenant_quotas;
`;
