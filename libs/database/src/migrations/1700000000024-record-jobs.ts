import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds jobs that read a single record while other jobs of its connector run. */
export class RecordJobs1700000000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table sync_jobs add column external_id text;
alter table sync_jobs add column outcome text constraint sync_jobs_outcome_check
  check (outcome in ('created', 'updated', 'unchanged', 'deleted', 'absent', 'refused'));
alter table sync_jobs drop constraint sync_jobs_mode_check;
alter table sync_jobs add constraint sync_jobs_mode_check check (mode in ('auto', 'full', 'changes', 'record'));
alter table sync_jobs add constraint sync_jobs_record_check check ((mode = 'record') = (external_id is not null));

drop index sync_jobs_one_running;
create unique index sync_jobs_one_running on sync_jobs (connector_id)
  where status in ('running', 'quarantined') and mode <> 'record';
create index sync_jobs_waiting on sync_jobs (connector_id, id) where status = 'queued' and mode <> 'record';
create index sync_jobs_records_unfinished on sync_jobs (id) where mode = 'record' and status in ('queued', 'running');
create index sync_jobs_records on sync_jobs (connector_id, last_record_at) where mode = 'record';
`;

const down = `
-- Row-level security hides the rows from the owner otherwise.
alter table sync_jobs no force row level security;
delete from sync_jobs where mode = 'record';
alter table sync_jobs force row level security;
drop index sync_jobs_records;
drop index sync_jobs_records_unfinished;
drop index sync_jobs_waiting;
drop index sync_jobs_one_running;
create unique index sync_jobs_one_running on sync_jobs (connector_id) where status in ('running', 'quarantined');
alter table sync_jobs drop constraint sync_jobs_record_check;
alter table sync_jobs drop constraint sync_jobs_mode_check;
alter table sync_jobs add constraint sync_jobs_mode_check check (mode in ('auto', 'full', 'changes'));
alter table sync_jobs drop column outcome, drop column external_id;
`;
