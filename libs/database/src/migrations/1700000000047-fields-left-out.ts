import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the errors of fields that were left out of applied records, and the records that partial batches name. */
export class FieldsLeftOut1700000000047 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table sync_jobs add column fields_left_out bigint not null default 0;
alter table sync_record_errors add column field text;
alter table seen_records add column named_ids uuid[] not null default '{}';
`;

const down = `
alter table seen_records drop column named_ids;
alter table sync_record_errors drop column field;
alter table sync_jobs drop column fields_left_out;
`;
