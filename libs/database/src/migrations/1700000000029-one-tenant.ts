import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Marks the schema whose policies (see `ownership.ts`) restrict every transaction with a tenant to its rows, so that
 * `migrate` of the previous version does not restore its own policies. Databases created before PostgreSQL 15 allowed
 * every login to create tables.
 */
export class OneTenant1700000000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('revoke create on schema public from public');
  }

  /** Grants nothing, since no version needs it. */
  async down(): Promise<void> {}
}
