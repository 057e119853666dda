import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores which part of a batch is about to be applied, so that a part that stopped the process can be identified. */
export class BatchesBegun1700000000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table batches_begun');
  }
}

const up = `
create table batches_begun (
  job_id uuid not null constraint batches_begun_job_id_fkey references sync_jobs (id) on delete cascade,
  seq integer not null,
  tenant_id uuid not null,
  process_id uuid,
  first integer,
  beyond integer,
  stops integer not null default 0,
  cuts integer[] not null default '{}',
  left_out integer[] not null default '{}',
  constraint batches_begun_pkey primary key (job_id, seq)
);
`;
