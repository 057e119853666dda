import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks jobs that delete the records of a deleted connector. */
export class Retirements1700000000058 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_jobs add column retires boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_jobs drop column retires');
  }
}
