import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the key by which a pushed user that was deleted is recognised when it is created again. */
export class FormerKeys1700000000195 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table scim_resources add column former_key text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table scim_resources drop former_key');
  }
}
