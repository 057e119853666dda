import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops an index whose columns are the first ones of `identities_changes`. */
export class CoveredIndex1700000000186 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index identities_changed');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index identities_changed on identities (tenant_id, updated_at)');
  }
}
