import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index for machine identities in the order of their risk. */
export class MachinesByRisk1700000000181 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'source_records_by_risk',
      on: `source_records (tenant_id, (coalesce(- (machine -> 'risk' ->> 'score')::numeric, 1)), created_at, id)
           where kind = 'machine_identity'`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index source_records_by_risk');
  }
}
