import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the evidence of links. */
export class LinkEvidence1700000000054 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table source_records add column evidence jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table source_records drop column evidence');
  }
}
