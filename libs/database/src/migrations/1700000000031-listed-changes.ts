import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds indexes that count and order changes since a time without reading documents. */
export class ListedChanges1700000000031 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'identities_changes',
      on: 'identities (tenant_id, updated_at, created_at, id, status)',
    });
    await buildIndex(runner, {
      name: 'source_records_users_changes',
      on: `source_records (tenant_id, updated_at, created_at, id, status) where kind = 'user'`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index source_records_users_changes; drop index identities_changes');
  }
}
