import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time of the last complete read of each source, and retries of failing records by incremental runs. */
export class ReadsAndRetries1700000000042 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table connector_states add column complete_as_of timestamptz;
alter table failing_records add column retries integer not null default 0, add column retry_at timestamptz;
alter table sync_jobs add column records_retried bigint not null default 0;
`;

const down = `
alter table sync_jobs drop column records_retried;
alter table failing_records drop column retry_at, drop column retries;
alter table connector_states drop column complete_as_of;
`;
