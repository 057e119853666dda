import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds indexes for the lists of accounts and machine identities, with the columns by which they are filtered. */
export class ListedRecords1700000000064 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const on = 'source_records (tenant_id, created_at, id, status, updated_at)';
    await buildIndex(runner, { name: 'source_records_accounts', on: `${on} where kind = 'account'` });
    await buildIndex(runner, {
      name: 'source_records_unmatched',
      on: `${on} where kind = 'account' and identity_id is null`,
    });
    await buildIndex(runner, { name: 'source_records_machines', on: `${on} where kind = 'machine_identity'` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop index source_records_machines; drop index source_records_unmatched; drop index source_records_accounts',
    );
  }
}
