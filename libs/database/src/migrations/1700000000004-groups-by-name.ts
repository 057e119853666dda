import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

export class GroupsByName1700000000004 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'groups_name',
      on: 'groups (tenant_id, name_id) where name_id is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index groups_name');
  }
}
