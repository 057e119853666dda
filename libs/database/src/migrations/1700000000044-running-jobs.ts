import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index that allows one running job per connector, quarantined ones not counted. */
export class RunningJobs1700000000044 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'sync_jobs_running',
      on: `sync_jobs (connector_id) where status = 'running' and mode <> 'record'`,
      unique: true,
    });
    await buildIndex(runner, {
      name: 'sync_jobs_quarantined',
      on: `sync_jobs (connector_id, id) where status = 'quarantined' and mode <> 'record'`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sync_jobs_quarantined');
    await runner.query('drop index sync_jobs_running');
  }
}
