import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a connector run while one of its jobs is quarantined. */
export class RunsBesideHeldJobs1700000000049 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Code of the previous version meets the narrower sync_jobs_running, and itself claims no job beside a held one.
    await runner.query('drop index sync_jobs_one_running');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const down = `
create unique index sync_jobs_one_running on sync_jobs (connector_id)
  where status in ('running', 'quarantined') and mode <> 'record';
`;
