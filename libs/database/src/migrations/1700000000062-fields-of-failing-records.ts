import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the field whose value was left out to the failing records of a connector. */
export class FieldsOfFailingRecords1700000000062 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table failing_records add column field text;
`;

const down = `
alter table failing_records drop column field;
`;
