import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index by which the runs of a tenant are found that took access. */
export class PlansWithLosses1700000000201 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, { name: 'sync_plans_losses', on: 'sync_plans (tenant_id, job_id) where losses > 0' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sync_plans_losses');
  }
}
