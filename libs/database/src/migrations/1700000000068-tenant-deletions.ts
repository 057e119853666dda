import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the requested deletions of tenants, with their progress. */
export class TenantDeletions1700000000068 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table tenant_deletions (
        tenant_id uuid constraint tenant_deletions_pkey primary key,
        requested_at timestamptz not null default now(),
        table_name text,
        block integer not null default 0,
        found bigint not null default 0,
        deleted bigint not null default 0
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table tenant_deletions');
  }
}
