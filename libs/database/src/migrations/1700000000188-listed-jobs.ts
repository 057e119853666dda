import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds indexes for lists of jobs by status and by connector. */
export class ListedJobs1700000000188 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, { name: 'sync_jobs_by_status', on: 'sync_jobs (tenant_id, status, id)' });
    await buildIndex(runner, { name: 'sync_jobs_connector', on: 'sync_jobs (connector_id, id)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sync_jobs_connector; drop index sync_jobs_by_status');
  }
}
