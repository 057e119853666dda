import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the start of a record's status, its next time-based change, and its state before the last job. */
export class Lifecycle1700000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table source_records add column status_since timestamptz;
update source_records set status_since = updated_at;
alter table source_records alter column status_since set not null;
alter table source_records add column due_at timestamptz;
alter table source_records add column previous jsonb;
create index source_records_due on source_records (tenant_id, due_at) where due_at is not null;

alter table identities add column purge_at timestamptz;
create index identities_purge on identities (tenant_id, purge_at) where purge_at is not null;
`;

const down = `
alter table identities drop column purge_at;
alter table source_records drop column previous, drop column due_at, drop column status_since;
`;
