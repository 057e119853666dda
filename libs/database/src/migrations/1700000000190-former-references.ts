import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the people that managers and machine references named earlier, which an erasure has to find. */
export class FormerReferences1700000000190 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table former_references');
  }
}

// No index begins with the tenant: without statistics, PostgreSQL would prefer it for the rows of a record.
const up = `
create table former_references (
  tenant_id uuid not null,
  identity_id uuid not null,
  record_id uuid not null,
  texts text[] not null,
  constraint former_references_pkey primary key (identity_id, record_id)
);
create index former_references_record on former_references (record_id);
`;
