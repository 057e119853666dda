import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index of the records that a running job has moved away from an identity. */
export class MovedRecords1700000000173 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'source_records_kept',
      on: 'source_records (kept_identity_id) where kept_identity_id is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index source_records_kept');
  }
}
