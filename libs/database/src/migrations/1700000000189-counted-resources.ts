import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the totals of pushed resources. The next push of a connector counts what earlier versions have stored. */
export class CountedResources1700000000189 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table scim_positions add column users bigint, add column groups bigint, add column counted bigint',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table scim_positions drop counted, drop groups, drop users');
  }
}
