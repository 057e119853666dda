import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the schedules of connectors and the result of the last planned run. */
export class Schedules1700000000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table connectors add column schedule jsonb;
create index connectors_scheduled on connectors (id) where schedule is not null and deleted_at is null;

alter table connector_states add column schedule jsonb;
alter table connector_states add column due_at timestamptz;
alter table connector_states add column next_run_at timestamptz;
alter table connector_states add column last_due_at timestamptz;
alter table connector_states add column skipped_at timestamptz;
alter table connector_states add column skipped_because text;
alter table connector_states add column last_job_id uuid;

alter table sync_jobs add column scheduled_for timestamptz;
create unique index sync_jobs_scheduled on sync_jobs (connector_id, scheduled_for) where scheduled_for is not null;
`;

const down = `
drop index sync_jobs_scheduled;
alter table sync_jobs drop column scheduled_for;
alter table connector_states drop column last_job_id, drop column skipped_because, drop column skipped_at,
  drop column last_due_at, drop column next_run_at, drop column due_at, drop column schedule;
drop index connectors_scheduled;
alter table connectors drop column schedule;
`;
