import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores the records of batches uncompressed. They are read once, seconds later, and are not worth the time of
 * compressing them.
 */
export class PlainBatches1700000000187 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_batches alter column records set storage external');
    await runner.query(
      'alter table seen_records alter column record_ids set storage external, alter column named_ids set storage external',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_batches alter column records set storage extended');
    await runner.query(
      'alter table seen_records alter column record_ids set storage extended, alter column named_ids set storage extended',
    );
  }
}
