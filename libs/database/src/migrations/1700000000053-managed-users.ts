import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index by which an erasure finds the users that refer to the person as their manager. */
export class ManagedUsers1700000000053 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'source_records_manager',
      on: 'source_records (manager_id) where manager_id is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index source_records_manager');
  }
}
