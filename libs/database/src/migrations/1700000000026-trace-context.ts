import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the W3C traceparent of jobs, events and payloads; null without tracing. */
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
