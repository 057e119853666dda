import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the policy of each tenant for dates and for people who have left. */
export class LifecyclePolicies1700000000043 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table lifecycle_policies');
  }
}

const up = `
create table lifecycle_policies (
  tenant_id uuid constraint lifecycle_policies_pkey primary key,
  policy jsonb not null,
  updated_at timestamptz not null
);
`;
