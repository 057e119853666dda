import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the estimated memory size of a record, which limits how much is loaded. Null on existing rows. */
export class RecordWeight1700000000033 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table source_records add column weight integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table source_records drop column weight');
  }
}
