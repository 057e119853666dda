import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the last time that was assigned in each tenant, so that times follow the order of commits. */
export class TimesInCommitOrder1700000000045 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table event_sequences add column last_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table event_sequences drop column last_at');
  }
}
