import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Finds the records that a job changed last, in the order in which an undo changes them part by part. */
export class RecordsByLastJob1796078400001 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // The condition, which all rows meet, keeps it from other statements.
    const on = 'source_records (tenant_id, last_job_id, id) where last_job_id is not null';
    await buildIndex(runner, { name: 'source_records_last_job', on });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index source_records_last_job');
  }
}
