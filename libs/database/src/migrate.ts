import type { DataSource, QueryRunner } from 'typeorm';
import { openDataSource } from './data-source.js';
import { applyOwnership } from './ownership.js';
import { serviceRoles } from './roles.js';
import { refuseNewerSchema } from './schema-version.js';

/** Any number, as long as nobody else takes it: the key of the advisory lock. */
const lockKey = 4_367_190_001;

export interface MigrationReport {
  applied: string[];
}

/** Brings the schema up to date. Two at once are safe: the second waits for the first and then finds nothing to do. */
export async function migrate(url: string): Promise<MigrationReport> {
  return locked(url, async (dataSource, runner) => {
    await refuseNewerSchema(dataSource);
    await createRoles(runner);
    const applied = await dataSource.runMigrations({ transaction: 'all' });
    await applyOwnership(runner);
    return { applied: applied.map((migration) => migration.name) };
  });
}

/** Takes back the newest migration. */
export async function migrateDown(url: string): Promise<void> {
  await locked(url, (dataSource) => dataSource.undoLastMigration({ transaction: 'all' }));
}

async function locked<T>(url: string, work: (dataSource: DataSource, runner: QueryRunner) => Promise<T>): Promise<T> {
  const dataSource = await openDataSource({ url, poolSize: 3 });
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('select pg_advisory_lock($1)', [lockKey]);
    try {
      return await work(dataSource, runner);
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.query('select pg_advisory_unlock($1)', [lockKey]);
    }
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** Roles belong to the whole server, so another database's migration may be creating them at this moment. */
async function createRoles(runner: QueryRunner): Promise<void> {
  for (const role of Object.values(serviceRoles)) {
    await runner.query(`
      do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then
          create role ${role} nologin nosuperuser nobypassrls;
        end if;
      exception when duplicate_object or unique_violation then null;
      end $$`);
    await runner.query(`
      do $$ begin
        if not pg_has_role(current_user, '${role}', 'member') then grant ${role} to current_user; end if;
      end $$`);
  }
}
