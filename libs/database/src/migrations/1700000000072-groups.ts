import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the groups that sources name. */
export class Groups1700000000072 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table groups');
  }
}

// The term is stored, because under row-level security a join by an expression would not use the index of terms.
const up = `
create table groups (
  id uuid constraint groups_pkey primary key,
  tenant_id uuid not null,
  connector_id uuid not null,
  name text not null,
  term text collate "C" not null,
  created_at timestamptz not null
);
create index groups_listed on groups (tenant_id, created_at, id);
create index groups_source on groups (connector_id, created_at, id);
`;
