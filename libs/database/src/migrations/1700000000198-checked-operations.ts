import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates the check of the status of operations. */
export class CheckedOperations1700000000198 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table operations validate constraint operations_status_check');
  }

  async down(): Promise<void> {
    // A check cannot become unvalidated; the migration before replaces it.
  }
}
