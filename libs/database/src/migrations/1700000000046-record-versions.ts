import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the earlier states of records, which events show. */
export class RecordVersions1700000000046 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table record_versions');
  }
}

const up = `
create table record_versions (
  id bigint generated always as identity constraint record_versions_pkey primary key,
  tenant_id uuid not null,
  record_id uuid not null,
  valid_until timestamptz not null,
  document text not null
);
create index record_versions_found on record_versions (record_id, valid_until, id);
`;
