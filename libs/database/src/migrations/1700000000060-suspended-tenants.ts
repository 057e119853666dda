import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time since which a tenant is suspended. */
export class SuspendedTenants1700000000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tenants add column suspended_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tenants drop column suspended_at');
  }
}
