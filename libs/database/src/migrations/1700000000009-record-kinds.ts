import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds indexes for a tenant's records of one kind, and for planned records by connector and external id. */
export class RecordKinds1700000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create index source_records_others on source_records (tenant_id, id) where kind <> 'user';

drop index sync_plan_entries_record;
create index sync_plan_entries_anchor on sync_plan_entries (job_id, external_id);
`;

const down = `
drop index sync_plan_entries_anchor;
create index sync_plan_entries_record on sync_plan_entries (record_id);

drop index source_records_others;
`;
