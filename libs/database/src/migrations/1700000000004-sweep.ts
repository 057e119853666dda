import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the records that a job has seen, and its plan. */
export class Sweep1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table connectors add column safeguard jsonb not null default '{}';

alter table sync_jobs add column dry_run boolean not null default false;
alter table sync_jobs add column records_deleted bigint not null default 0;
alter table sync_jobs add column note text;
alter table sync_jobs add column decision jsonb;
alter table sync_jobs add column sweep_asked_at timestamptz;
create index sync_jobs_sweeping on sync_jobs (sweep_asked_at) where sweep_asked_at is not null;

alter table sync_record_errors add column hides_others boolean not null default false;

create index source_records_living on source_records (connector_id, id) where status not in ('deleted', 'decommissioned');

create table seen_records (
  job_id uuid not null,
  seq integer not null,
  tenant_id uuid not null,
  connector_id uuid not null,
  record_ids uuid[] not null,
  constraint seen_records_pkey primary key (job_id, seq)
);
create index seen_records_connector on seen_records (connector_id);

create table sync_plans (
  job_id uuid constraint sync_plans_pkey primary key,
  tenant_id uuid not null,
  connector_id uuid not null,
  state text not null default 'open',
  known integer,
  deletions integer not null default 0,
  disables integer not null default 0,
  note text,
  constraint sync_plans_state_check check (state in ('open', 'held', 'ready', 'done'))
);
create index sync_plans_connector on sync_plans (connector_id);

create table sync_plan_entries (
  id bigint generated always as identity constraint sync_plan_entries_pkey primary key,
  job_id uuid not null constraint sync_plan_entries_job_id_fkey references sync_plans (job_id) on delete cascade,
  tenant_id uuid not null,
  seq integer not null,
  action text not null,
  record_id uuid not null,
  kind text not null,
  external_id text not null,
  identity_id uuid,
  changes jsonb not null,
  incoming text,
  based_on timestamptz,
  done boolean not null default false,
  constraint sync_plan_entries_action_check check (action in ('create', 'update', 'disable', 'delete'))
);
create index sync_plan_entries_job on sync_plan_entries (job_id, id);
create index sync_plan_entries_record on sync_plan_entries (record_id);
create index sync_plan_entries_open on sync_plan_entries (job_id, id) where not done;
`;

const down = `
drop table sync_plan_entries, sync_plans, seen_records;
drop index source_records_living;
alter table sync_record_errors drop column hides_others;
alter table sync_jobs drop column sweep_asked_at, drop column decision, drop column note, drop column records_deleted,
  drop column dry_run;
alter table connectors drop column safeguard;
`;
