import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds indexes for due connectors, for changed schedules, and for the errors of a record. */
export class LookUps1700000000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(seeingAll(up));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(seeingAll(down));
  }
}

/** Disables forced row-level security for the statements, because the owner's transaction has no tenant. */
function seeingAll(statements: string): string {
  return `
alter table connectors no force row level security;
alter table connector_states no force row level security;
${statements}
alter table connectors force row level security;
alter table connector_states force row level security;`;
}

const up = `
alter table connectors add column planned_schedule jsonb;
update connectors c set planned_schedule = s.schedule from connector_states s where s.connector_id = c.id;
alter table connector_states drop column schedule;
drop index connectors_scheduled;
create index connectors_to_plan on connectors (id) where schedule is distinct from planned_schedule and deleted_at is null;
create index connector_states_due on connector_states (next_run_at) where next_run_at is not null;
create index sync_record_errors_record on sync_record_errors (tenant_id, external_id) where external_id is not null;
`;

const down = `
drop index sync_record_errors_record;
drop index connector_states_due;
drop index connectors_to_plan;
create index connectors_scheduled on connectors (id) where schedule is not null and deleted_at is null;
alter table connector_states add column schedule jsonb;
update connector_states s set schedule = c.planned_schedule from connectors c where c.id = s.connector_id and s.due_at is not null;
alter table connectors drop column planned_schedule;
`;
