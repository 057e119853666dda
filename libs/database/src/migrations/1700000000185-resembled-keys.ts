import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the key by which a planned new record resembles an identity, because another one may have the key later. */
export class ResembledKeys1700000000185 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_plan_entries add column resembles_value text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_plan_entries drop column resembles_value');
  }
}
