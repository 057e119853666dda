import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index of former keys of pushed users. */
export class FormerResources1700000000196 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'scim_resources_former',
      on: 'scim_resources (former_key, position) where former_key is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index scim_resources_former');
  }
}
