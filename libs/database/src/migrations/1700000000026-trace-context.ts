import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose trace a job, an event and what is sent of it belong to (W3C traceparent); null where nothing was traced. */
export class TraceContext1700000000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table sync_jobs add column traceparent text;
alter table events add column traceparent text;
alter table event_payloads add column traceparent text;
`;

const down = `
alter table event_payloads drop column traceparent;
alter table events drop column traceparent;
alter table sync_jobs drop column traceparent;
`;
