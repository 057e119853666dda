import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds the index for the accounts and machine identities of one source. */
export class ListedRecordsOfSources1700000000180 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'source_records_of_source',
      on: "source_records (tenant_id, kind, connector_id, created_at, id, status) where kind <> 'user'",
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index source_records_of_source');
  }
}
