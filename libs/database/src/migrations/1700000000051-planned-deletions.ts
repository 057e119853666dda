import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index that finds the planned deletion of a person who seems to have a new external id. */
export class PlannedDeletions1700000000051 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'sync_plan_entries_deletions',
      on: `sync_plan_entries (job_id, identity_id) where action = 'delete'`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sync_plan_entries_deletions');
  }
}
