import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

export class GroupsByKey1700000000003 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'groups_key',
      on: 'groups (tenant_id, connector_id, external_id) where external_id is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index groups_key');
  }
}
