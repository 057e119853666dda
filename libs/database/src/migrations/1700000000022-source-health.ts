import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the health of sources: consecutive failures, failing records, and when a job last received data. */
export class SourceHealth1700000000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table connector_states add column failures integer not null default 0;
alter table connector_states add column last_failed_at timestamptz;

alter table sync_jobs add column last_record_at timestamptz;

create table failing_records (
  id uuid constraint failing_records_pkey primary key,
  connector_id uuid not null,
  tenant_id uuid not null,
  job_id uuid not null constraint failing_records_job_id_fkey references sync_jobs (id) on delete cascade,
  external_id text,
  line bigint,
  message text not null,
  first_failed_at timestamptz not null default now(),
  last_failed_at timestamptz not null default now()
);
create index failing_records_connector on failing_records (connector_id, id);
create unique index failing_records_anchor on failing_records (connector_id, external_id) where external_id is not null;
create unique index failing_records_line on failing_records (connector_id, line) where external_id is null;
create index failing_records_job on failing_records (job_id);
`;

const down = `
drop table failing_records;
alter table sync_jobs drop column last_record_at;
alter table connector_states drop column last_failed_at, drop column failures;
`;
