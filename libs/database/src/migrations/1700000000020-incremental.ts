import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds jobs that read only changes, and the checkpoint of each connector. */
export class Incremental1700000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table connectors add column config_version integer not null default 1;

-- All earlier jobs were full runs.
alter table sync_jobs add column mode text not null default 'full'
  constraint sync_jobs_mode_check check (mode in ('auto', 'full', 'changes'));
alter table sync_jobs alter column mode set default 'auto';
alter table sync_jobs add column since jsonb;
alter table sync_jobs add column config_version integer;
alter table sync_jobs add column why_full text;
alter table sync_jobs add column checkpoint jsonb;

create table connector_states (
  connector_id uuid constraint connector_states_pkey primary key,
  tenant_id uuid not null constraint connector_states_tenant_id_fkey references tenants (id) on delete cascade,
  checkpoint jsonb,
  checkpoint_at timestamptz,
  config_version integer,
  runs_since_full integer not null default 0
);
`;

const down = `
drop table connector_states;
alter table sync_jobs drop column checkpoint, drop column why_full, drop column config_version, drop column since,
  drop column mode;
alter table connectors drop column config_version;
`;
