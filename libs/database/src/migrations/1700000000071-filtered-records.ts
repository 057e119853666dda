import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds an index for the records of a source in creation order. */
export class FilteredRecords1700000000071 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, { name: 'source_records_source', on: 'source_records (connector_id, created_at, id)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index source_records_source');
  }
}
