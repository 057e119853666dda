import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDataSource } from '../data-source.js';
import { Database } from '../database.js';
import { TraceContext1700000000026 } from '../migrations/1700000000026-trace-context.js';
import { migrations } from '../migrations/index.js';
import { createDatabase, databaseUrl, dropDatabase } from './create-database.js';
import { describeSchema } from './describe-schema.js';
import { migrate, migrateDown } from './migrate.js';
import { setFloor } from './schema-floor.js';

const migrateMain = fileURLToPath(new URL('../../../../bundle/migrate.js', import.meta.url));

let own: TestDatabase;
let fixture: DirectoryFixture;

beforeEach(async () => {
  own = await createTestDatabase();
  fixture = DirectoryFixture.connect(own.url);
});

afterEach(async () => {
  await fixture?.close();
  await own?.drop();
});

/** Opens a transaction that has run `sql`; returns a function that ends it. */
async function transactionOf(sql: string): Promise<() => Promise<void>> {
  const dataSource = await openDataSource({ url: own.url, poolSize: 1 });
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query(sql);
  return async () => {
    await runner.commitTransaction();
    await dataSource.destroy();
  };
}

describe('migrate while services are running', () => {
  it('does not lock tables that are up to date', async () => {
    const end = await transactionOf('lock table source_records, events in row exclusive mode');
    expect(await migrate(own.url)).toEqual({ applied: [] });
    await end();
  });

  it('lets queued sessions continue while a table is in use', async () => {
    const missing = migrations.slice(migrations.indexOf(TraceContext1700000000026));
    for (const _ of missing) await migrateDown(own.url);
    const tenant = await fixture.tenant();
    const end = await transactionOf('select count(*) from events');
    const lines: string[] = [];
    const migrated = migrate(own.url, (line) => lines.push(line));
    await until(() => lines.some((line) => line.includes('canceling statement due to lock timeout; trying again')));
    await fixture.rows(
      `insert into events (id, tenant_id, sequence, type, occurred_at, details)
       values (gen_random_uuid(), $1, 1, 'user.created', now(), '{}')`,
      [tenant],
    );
    await end();
    expect(await migrated).toEqual({ applied: missing.map(({ name }) => name) });
  });

  it('changes the policies of one table at a time, before the newest migration', async () => {
    const changed = async (table: string) => {
      const sql = `select qual <> 'true' as changed from pg_policies where tablename = $1 and policyname like 'all_rows_%'`;
      return fixture.rows(sql, [table]);
    };
    await migrateDown(own.url);
    await fixture.rows(`alter policy all_rows_idsync_gateway on api_keys using (true) with check (true);
                        alter policy all_rows_idsync_webhook_dispatcher on webhooks using (true) with check (true)`);
    const end = await transactionOf('select count(*) from webhooks');
    const lines: string[] = [];
    const migrated = migrate(own.url, (line) => lines.push(line));
    await until(() => lines.some((line) => line.includes('webhooks: canceling statement due to lock timeout')));
    expect(await changed('api_keys')).toEqual([{ changed: true }]);
    expect(await changed('webhooks')).toEqual([{ changed: false }]);
    await end();
    expect(await migrated).toEqual({ applied: [migrations.at(-1)?.name] });
    expect(await changed('webhooks')).toEqual([{ changed: true }]);
  });

  it('revokes no grant, because the previous version may need it', async () => {
    await fixture.rows('grant delete on events to idsync_gateway');
    await migrate(own.url);
    const [kept] = await fixture.rows(`select has_table_privilege('idsync_gateway', 'events', 'delete') as granted`);
    expect(kept).toEqual({ granted: true });
  });

  it.each([
    ['not forced', 'alter table events no force row level security'],
    ['off', 'alter table events disable row level security'],
    ['without its policy', 'drop policy own_rows on events'],
    ['with another policy', 'alter policy own_rows on events using (true)'],
    ['with one for more roles', 'alter policy all_rows_idsync_gateway on tenants to public'],
    ['with one too many', 'create policy all_rows_idsync_gateway on events using (true)'],
  ])('corrects row-level security that is %s', async (_what, sql) => {
    const before = await describeSchema(own.url);
    await fixture.rows(sql);
    await migrate(own.url);
    expect(await describeSchema(own.url)).toBe(before);
  });
});

describe('migrate after a kill', () => {
  it('completes the remaining migrations', async () => {
    const whole = await describeSchema(own.url);
    const name = `${new URL(own.url).pathname.slice(1)}_killed`;
    await createDatabase(own.url, name);
    const url = databaseUrl(own.url, name);
    const killed = DirectoryFixture.connect(url);
    const applied = async () => {
      const rows = await killed.rows<{ name: string }>('select name from idsync_migrations').catch(() => []);
      return rows.length;
    };
    try {
      const counts: number[] = [];
      for (let goal = 0; goal < migrations.length; goal = (counts.at(-1) ?? 0) + 3) {
        const child: ChildProcess = spawn(process.execPath, [migrateMain], {
          stdio: 'ignore',
          env: { ...process.env, DATABASE_URL: url },
        });
        const exit = once(child, 'exit');
        await until(async () => child.exitCode !== null || (await applied()) > goal);
        child.kill('SIGKILL');
        await exit;
        counts.push(await applied());
      }
      await migrate(url);
      expect(counts.length).toBeGreaterThan(1);
      expect(await applied()).toBe(migrations.length);
      expect(await describeSchema(url)).toBe(whole);
    } finally {
      await killed.close();
      await dropDatabase(own.url, name);
    }
    // Starts a process for every third migration.
  }, 300_000);
});

describe('a schema of a later version', () => {
  const connect = () => Database.connect({ url: own.url, service: 'gateway' });

  beforeEach(async () => {
    await fixture.rows(`insert into idsync_migrations (timestamp, name) values (9, 'FromTheFuture9')`);
  });

  it('is accepted', async () => {
    const database = await connect();
    expect(await database.schemaAge()).toBe('newer');
    await database.close();
  });

  it('is not changed by migrate', async () => {
    await fixture.rows('alter policy own_rows on events using (true) with check (true)');
    const before = await describeSchema(own.url);
    expect(await migrate(own.url)).toEqual({ applied: [] });
    expect(await describeSchema(own.url)).toBe(before);
  });

  it('is rejected if its floor requires a later version', async () => {
    await raiseFloor('FromTheFuture9');
    await expect(connect()).rejects.toThrow('too new for this version, which lacks the migration FromTheFuture9');
    await expect(migrate(own.url)).rejects.toThrow('too new');
    await raiseFloor(TraceContext1700000000026.name);
    await (await connect()).close();
    await raiseFloor(null);
    await (await connect()).close();
  });

  it('is rejected if it lacks a migration of this version', async () => {
    await fixture.rows(`delete from idsync_migrations where name <> 'FromTheFuture9'`);
    await expect(connect()).rejects.toThrow('too old');
    await expect(migrate(own.url)).rejects.toThrow(
      'from a different line of versions: it has FromTheFuture9 and lacks',
    );
  });

  async function raiseFloor(name: string | null): Promise<void> {
    const dataSource = await openDataSource({ url: own.url, poolSize: 1 });
    await setFloor(dataSource.createQueryRunner(), name);
    await dataSource.destroy();
  }
});
