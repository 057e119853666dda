import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the error code of a source and its error text, separate from the public message because only operators see it.
 */
export class SourceMessages1700000000036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table sync_jobs add column error_code text, add column source_message text;
alter table sync_record_errors add column source_message text;
alter table failing_records add column source_message text;
`;

const down = `
alter table failing_records drop column source_message;
alter table sync_record_errors drop column source_message;
alter table sync_jobs drop column source_message, drop column error_code;
`;
