// SQL by hand: roles, catalogues and DDL have no entities.
import { setTimeout as pause } from 'node:timers/promises';
import { type DataSource, Migration, MigrationExecutor, type QueryRunner } from 'typeorm';
import { openDataSource } from '../data-source.js';
import { serviceRoles } from '../roles.js';
import { type ReportProgress, transactionWithLockRetries } from '../transaction-with-lock-retries.js';
import { applyOwnership, applyPolicies, secureTables } from './apply-ownership.js';
import { distribute, isDistributed, requireCitus } from './distribute.js';
import { isMigratedByNewer } from './schema-version.js';
import { grantAutoscaler, withholdPrivileges } from './withhold-privileges.js';

/** Key of the advisory lock; an arbitrary number. */
const lockKey = 4_367_190_001;
const lockPollMs = 200;
const lockWithinMs = 60 * 60_000;

export interface MigrationReport {
  applied: string[];
}

/**
 * Applies pending migrations while services of the previous version are running. Concurrent calls are safe: the second
 * waits and finds nothing to do. An interrupted run is completed by the next. A schema of a later version is left
 * unchanged. `distributes`: distributes the tables over the nodes of Citus, which later calls do for new ones.
 */
export async function migrate(
  url: string,
  report: ReportProgress = () => undefined,
  { distributes = false } = {},
): Promise<MigrationReport> {
  return locked(url, report, async (dataSource, runner) => {
    if (distributes) await requireCitus(runner);
    if (await isMigratedByNewer(dataSource)) {
      report('the schema is of a later version and is left unchanged');
      return { applied: [] };
    }
    await createRoles(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    const pending = await executor.getPendingMigrations();
    if (pending.length === 0) await applyOwnership(runner, report);
    for (const migration of pending) {
      const { name, instance } = migration;
      if (migration === pending.at(-1)) await applyPolicies(runner, report);
      report(`applying ${name}`);
      const apply = () =>
        executor.executeMigration(migration === pending.at(-1) ? withOwnership(migration, report) : migration);
      if (instance?.transaction === false) await apply();
      else await transactionWithLockRetries(runner, name, report, apply);
    }
    await withholdPrivileges(runner, report);
    await grantAutoscaler(runner);
    if (distributes || (await isDistributed(runner))) {
      await distribute(runner, report);
      // Citus drops grants on system columns.
      await applyOwnership(runner, report);
    }
    return { applied: pending.map(({ name }) => name) };
  });
}

/** Reverts the newest migration. */
export async function migrateDown(url: string, report: ReportProgress = () => undefined): Promise<void> {
  await locked(url, report, async (dataSource, runner) => {
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    await transactionWithLockRetries(runner, 'down', report, () => executor.undoLastMigration());
  });
}

/** Applies grants together with the newest migration, because services start as soon as it is applied. */
function withOwnership({ id, timestamp, name, instance }: Migration, report: ReportProgress): Migration {
  const up = async (runner: QueryRunner) => {
    await instance?.up(runner);
    if (runner.isTransactionActive) await secureTables(runner);
    else await applyOwnership(runner, report);
  };
  return new Migration(id, timestamp, name, { up, down: async () => undefined });
}

async function locked<T>(
  url: string,
  report: ReportProgress,
  work: (dataSource: DataSource, runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const dataSource = await openDataSource({ url, poolSize: 3 });
  const runner = dataSource.createQueryRunner();
  try {
    await lock(runner, report);
    try {
      return await work(dataSource, runner);
    } finally {
      // A lost connection holds no lock, and `work` reports the cause.
      await runner.query('select pg_advisory_unlock($1)', [lockKey]).catch(() => undefined);
    }
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/**
 * Polls for the lock: a statement that waits for it would be an open transaction, and building an index concurrently
 * waits for those.
 */
async function lock(runner: QueryRunner, report: ReportProgress): Promise<void> {
  let reported = false;
  for (const end = Date.now() + lockWithinMs; ; await pause(lockPollMs)) {
    const [row]: { mine: boolean }[] = await runner.query('select pg_try_advisory_lock($1) as mine', [lockKey]);
    if (row?.mine) return;
    if (Date.now() > end) throw new Error('another migration has been running for an hour');
    if (!reported) report('another migration is running; waiting for it');
    reported = true;
  }
}

/** Roles are shared by all databases of the server, so a concurrent migration may be creating them. */
async function createRoles(runner: QueryRunner): Promise<void> {
  // From PostgreSQL 16 on, the creator of a role is its member but may not act as it before it is granted.
  const mayAct = `case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end`;
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
        if not pg_has_role(current_user, '${role}', ${mayAct}) then grant ${role} to current_user; end if;
      end $$`);
  }
}
