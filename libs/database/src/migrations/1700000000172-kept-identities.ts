import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the identity that a record had before the running job moved it. */
export class KeptIdentities1700000000172 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table source_records add column kept_identity_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table source_records drop column kept_identity_id');
  }
}
