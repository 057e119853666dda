import { setTimeout as pause } from 'node:timers/promises';
import { type DataSource, Migration, MigrationExecutor, type QueryRunner } from 'typeorm';
import { applyOwnership, secureTables } from './apply-ownership.js';
import { openDataSource } from './data-source.js';
import { patientTransaction, type Say } from './patient-transaction.js';
import { serviceRoles } from './roles.js';
import { isMigratedByNewer } from './schema-version.js';

/** Any number, as long as nobody else takes it: the key of the advisory lock. */
const lockKey = 4_367_190_001;
const lockPollMs = 200;
const lockWithinMs = 60 * 60_000;

export interface MigrationReport {
  applied: string[];
}

/**
 * Brings the schema up to date, while services of the version before work on it. Two at once are safe: the second waits for the
 * first and then finds nothing to do; killed anywhere, the next run does the rest. On the schema of a later version it does nothing:
 * what the code of before may do there was left to it.
 */
export async function migrate(url: string, say: Say = () => undefined): Promise<MigrationReport> {
  return locked(url, say, async (dataSource, runner) => {
    if (await isMigratedByNewer(dataSource)) {
      say('the schema is of a later version, and stays as it is');
      return { applied: [] };
    }
    await createRoles(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    const pending = await executor.getPendingMigrations();
    if (pending.length === 0) await applyOwnership(runner, say);
    for (const migration of pending) {
      const { name, instance } = migration;
      say(`applies ${name}`);
      const apply = () =>
        executor.executeMigration(migration === pending.at(-1) ? withOwnership(migration, say) : migration);
      if (instance?.transaction === false) await apply();
      else await patientTransaction(runner, name, say, apply);
    }
    return { applied: pending.map(({ name }) => name) };
  });
}

/** Takes back the newest migration. */
export async function migrateDown(url: string, say: Say = () => undefined): Promise<void> {
  await locked(url, say, async (dataSource, runner) => {
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    await patientTransaction(runner, 'down', say, () => executor.undoLastMigration());
  });
}

/** Whoever finds the newest one applied may start, and needs its grants: they are there with it. */
function withOwnership({ id, timestamp, name, instance }: Migration, say: Say): Migration {
  const up = async (runner: QueryRunner) => {
    await instance?.up(runner);
    if (runner.isTransactionActive) await secureTables(runner);
    else await applyOwnership(runner, say);
  };
  return new Migration(id, timestamp, name, { up, down: async () => undefined });
}

async function locked<T>(
  url: string,
  say: Say,
  work: (dataSource: DataSource, runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const dataSource = await openDataSource({ url, poolSize: 3 });
  const runner = dataSource.createQueryRunner();
  try {
    await lock(runner, say);
    try {
      return await work(dataSource, runner);
    } finally {
      // A connection that is gone holds no lock, and what ended it is told by the work.
      await runner.query('select pg_advisory_unlock($1)', [lockKey]).catch(() => undefined);
    }
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** Asked for again and again: one who waits for it inside a statement is an open transaction, which an index that is being built waits for. */
async function lock(runner: QueryRunner, say: Say): Promise<void> {
  let told = false;
  for (const end = Date.now() + lockWithinMs; ; await pause(lockPollMs)) {
    const [row]: { mine: boolean }[] = await runner.query('select pg_try_advisory_lock($1) as mine', [lockKey]);
    if (row?.mine) return;
    if (Date.now() > end) throw new Error('another migration has been running for an hour');
    if (!told) say('another migration is running: waits for it');
    told = true;
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
