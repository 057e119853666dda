import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds an index for jobs with an error text of their source, which an erasure removes for a whole connector. */
export class JobsWithSourceMessages1700000000037 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'sync_jobs_source_message',
      on: 'sync_jobs (connector_id) where source_message is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sync_jobs_source_message');
  }
}
