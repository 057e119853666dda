import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createEmptyDatabase, createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openDataSource } from '../data-source.js';
import { Database } from '../database.js';
import { migrations } from '../migrations/index.js';
import { describeSchema } from './describe-schema.js';
import { migrate, migrateDown } from './migrate.js';
import { setFloor } from './schema-version.js';

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
async function transactionOf(sql: string, { url } = own): Promise<() => Promise<void>> {
  const dataSource = await openDataSource({ url, poolSize: 1 });
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query(sql);
  return async () => {
    await runner.commitTransaction();
    await dataSource.destroy();
  };
}

/** A migration of the next version. */
class MadeUp1700000000002 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runner.query('alter table events add column made_up text');
  }

  down(runner: QueryRunner): Promise<void> {
    return runner.query('alter table events drop column made_up');
  }
}

describe('migrate --distribute', () => {
  it('is refused before it changes anything, if the server has no Citus', async () => {
    const lines: string[] = [];
    const migrated = migrate(own.url, (line) => lines.push(line), { distributes: true });
    await expect(migrated).rejects.toThrow('--distribute needs a coordinator of Citus');
    expect(lines).toEqual([]);
  });
});

describe('migrate while services are running', () => {
  beforeEach(() => {
    migrations.push(MadeUp1700000000002);
  });

  afterEach(() => {
    migrations.pop();
  });

  it('does not lock tables that are up to date', async () => {
    await migrate(own.url);
    const end = await transactionOf('lock table source_records, events in row exclusive mode');
    expect(await migrate(own.url)).toEqual({ applied: [] });
    await end();
  });

  it('lets queued sessions continue while a table is in use', async () => {
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
    expect(await migrated).toEqual({ applied: [MadeUp1700000000002.name] });
  });

  it('changes the policies of one table at a time, before the newest migration', async () => {
    const changed = async (table: string) => {
      const sql = `select qual <> 'true' as changed from pg_policies where tablename = $1 and policyname like 'all_rows_%'`;
      return fixture.rows(sql, [table]);
    };
    await fixture.rows(`alter policy all_rows_idsync_gateway on api_keys using (true) with check (true);
                        alter policy all_rows_idsync_webhook_dispatcher on webhooks using (true) with check (true)`);
    const end = await transactionOf('select count(*) from webhooks');
    const lines: string[] = [];
    const migrated = migrate(own.url, (line) => lines.push(line));
    await until(() => lines.some((line) => line.includes('webhooks: canceling statement due to lock timeout')));
    expect(await changed('api_keys')).toEqual([{ changed: true }]);
    expect(await changed('webhooks')).toEqual([{ changed: false }]);
    await end();
    expect(await migrated).toEqual({ applied: [MadeUp1700000000002.name] });
    expect(await changed('webhooks')).toEqual([{ changed: true }]);
  });

  it('can be reverted', async () => {
    const before = await describeSchema(own.url);
    await migrate(own.url);
    expect(await describeSchema(own.url)).toContain('made_up text');
    await migrateDown(own.url);
    expect(await describeSchema(own.url)).toBe(before);
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
    await migrate(own.url);
    const before = await describeSchema(own.url);
    await fixture.rows(sql);
    await migrate(own.url);
    expect(await describeSchema(own.url)).toBe(before);
  });
});

describe('migrate after a kill', () => {
  it('completes the migrations', async () => {
    const empty = await createEmptyDatabase();
    const killed = DirectoryFixture.connect(empty.url);
    try {
      // The last statement of the first migration waits for this one.
      const end = await transactionOf('revoke create on schema public from public', empty);
      const env = { ...process.env, DATABASE_URL: empty.url };
      const child = spawn(process.execPath, [migrateMain], { stdio: 'ignore', env });
      const exit = once(child, 'exit');
      await killed.waitForBlockedLock();
      child.kill('SIGKILL');
      await exit;
      await end();
      expect(await migrate(empty.url)).toEqual({ applied: migrations.map(({ name }) => name) });
      expect(await describeSchema(empty.url)).toBe(await describeSchema(own.url));
    } finally {
      await killed.close();
      await empty.drop();
    }
  });
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
    await raiseFloor(migrations[0]?.name ?? '');
    await (await connect()).close();
    await raiseFloor(null);
    await (await connect()).close();
  });

  it('is rejected if it lacks a migration of this version', async () => {
    await fixture.rows(`delete from idsync_migrations where name <> 'FromTheFuture9'`);
    await expect(connect()).rejects.toThrow('too old');
    await expect(migrate(own.url)).rejects.toThrow(
      'from a different line of versions: it has FromTheFuture9 and lacks Baseline1700000000001; use a new database',
    );
  });

  async function raiseFloor(name: string | null): Promise<void> {
    const dataSource = await openDataSource({ url: own.url, poolSize: 1 });
    await setFloor(dataSource.createQueryRunner(), name);
    await dataSource.destroy();
  }
});
