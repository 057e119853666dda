import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the people who lost access by a run, because the runs of all sources together must not take it from many. */
export class CountedLosses1700000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_plans add column losses integer not null default 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sync_plans drop column losses');
  }
}
