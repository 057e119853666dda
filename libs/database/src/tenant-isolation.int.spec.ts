import { newUuid, type ServiceName, services } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dropConstraints, findTables, insertion, type Table } from '../test/tables-of-tenants.js';
import { Database, type Transaction } from './database.js';
import { type ServiceRole, serviceRoles } from './roles.js';
import { ownership, type TableOwnership } from './schema/ownership.js';

const [mine, theirs, unknown] = [newUuid(), newUuid(), newUuid()];
const databases = new Map<ServiceName, Database>();
let testDatabase: TestDatabase;
let admin: DirectoryFixture;
let tables: Table[];

/**
 * Inserts one row of each of two tenants into every table that has tenants. Drops only constraints that would require
 * other rows.
 */
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  admin = DirectoryFixture.connect(testDatabase.url);
  await dropConstraints(admin);
  tables = await findTables(admin);
  for (const table of tables) for (const tenant of [mine, theirs]) await admin.rows(insertion(table, tenant));
  for (const service of services) {
    databases.set(service, await Database.connect({ url: testDatabase.url, service, poolSize: 1 }));
  }
});

afterAll(async () => {
  for (const database of databases.values()) await database.close();
  await admin?.close();
  await testDatabase?.drop();
});

describe('every table with tenants', () => {
  it('is in the ownership table and has rows of two tenants in this test', async () => {
    const withTenant = Object.entries(ownership).filter(
      ([, { rows }]) => typeof rows === 'object' && 'tenantColumn' in rows,
    );
    expect(tables.map(({ name }) => name)).toEqual(withTenant.map(([name]) => name).sort());
    for (const { name, tenant } of tables) {
      const rows = await admin.rows<{ id: string }>(`select ${tenant} as id from ${name} order by 1`);
      expect({ name, tenants: rows.map(({ id }) => id) }).toEqual({ name, tenants: [mine, theirs].sort() });
    }
  });
});

describe('the views for an autoscaler', () => {
  it('are read by a role that has no access to a table', async () => {
    const role = `reader_${newUuid().replaceAll('-', '')}`;
    const views = ['autoscaling_sync_worker', 'autoscaling_directory', 'autoscaling_webhook_dispatcher'];
    const functions = ['connectors_with_jobs', 'batches_unapplied', 'seconds_due'];
    await admin.rows(`create role ${role} login password '${role}'`);
    const url = Object.assign(new URL(testDatabase.url), { username: role, password: role });
    const reader = DirectoryFixture.connect(url.href);
    try {
      await admin.rows(`grant connect on database ${url.pathname.slice(1)} to ${role}`);
      await admin.rows(`grant usage on schema public to ${role}`);
      for (const name of functions) {
        await expect(reader.rows(`select ${name}()`)).rejects.toThrow(`permission denied for function ${name}`);
      }
      await admin.rows(`grant select on ${views} to ${role}`);
      await admin.rows(`grant execute on function ${functions} to ${role}`);
      for (const view of views) expect(await reader.rows(`select from ${view}`)).toHaveLength(1);
      await expect(reader.rows('select from tenants')).rejects.toThrow('permission denied');
    } finally {
      await reader.close();
      await admin.rows(`drop owned by ${role}`);
      await admin.rows(`drop role ${role}`);
    }
  });
});

describe('a transaction of a tenant', () => {
  it.each(services)('sees no row of another tenant in any table without a WHERE: %s', async (service) => {
    const readable = await allowed(service, 'SELECT');
    expect(readable.length).toBeGreaterThan(0);
    for (const { name, tenant } of readable) {
      const seen = await undone(service, (tx) => tx.query(`select ${tenant} as tenant from ${name}`));
      expect({ name, seen }).toEqual({ name, seen: [{ tenant: mine }] });
    }
  });

  it.each(services)('updates no row of another tenant in any table without a WHERE: %s', async (service) => {
    const writable = await allowed(service, 'UPDATE');
    expect(writable.length).toBeGreaterThan(0);
    for (const { name, tenant, granted } of writable) {
      const changed = await undone(service, (tx) =>
        tx.query(`update ${name} set ${granted[0]} = ${granted[0]} returning ${tenant} as tenant`),
      );
      expect({ name, changed }).toEqual({ name, changed: [{ tenant: mine }] });
    }
  });

  it.each(services)('deletes no row of another tenant in any table without a WHERE: %s', async (service) => {
    for (const { name, tenant } of await allowed(service, 'DELETE')) {
      const deleted = await undone(service, (tx) => tx.query(`delete from ${name} returning ${tenant} as tenant`));
      expect({ name, deleted }).toEqual({ name, deleted: [{ tenant: mine }] });
    }
  });

  it.each(services)('can neither insert a row for another tenant nor move one to it: %s', async (service) => {
    // A part of a distributed table has a number; Citus moves no row to another tenant.
    const refused = (name: string) =>
      new RegExp(
        `new row violates row-level security policy for table "${name}(_\\d+)?"|modifying the partition value`,
      );
    const insertable = await allowed(service, 'INSERT');
    expect(insertable.length).toBeGreaterThan(0);
    for (const table of insertable) {
      const inserted = undone(service, (tx) => tx.query(insertion(table, unknown)));
      await expect(inserted).rejects.toThrow(refused(table.name));
    }
    for (const { name, tenant, granted } of await allowed(service, 'UPDATE')) {
      if (!granted.includes(tenant)) continue;
      const given = undone(service, (tx) => tx.query(`update ${name} set ${tenant} = '${unknown}'`));
      await expect(given).rejects.toThrow(refused(name));
    }
  });
});

describe('a search across tenants', () => {
  it.each(services)('sees rows only in the tables that are open to its service: %s', async (service) => {
    const opened = Object.entries<TableOwnership>(ownership).filter(([, table]) =>
      table.acrossTenants?.includes(service),
    );
    const seen = await tablesSeen(service, (work) => databaseOf(service).acrossTenants(work));
    expect(seen).toEqual(opened.map(([name]) => name).sort());
  });

  it('cannot write', async () => {
    const written = databaseOf('gateway').acrossTenants((tx) => tx.query('update tenants set name = name'));
    await expect(written).rejects.toThrow('cannot execute UPDATE in a read-only transaction');
  });
});

describe('a transaction without a tenant', () => {
  it.each(services)('sees no row of any table with tenants: %s', async (service) => {
    expect(await tablesSeen(service, (work) => databaseOf(service).withoutTenant(work))).toEqual([]);
  });

  it.each(services)('also sees none on a connection that has lost its settings: %s', async (service) => {
    const forget = 'set local idsync.tenant_id = default; set local idsync.across_tenants = default';
    const within = (work: Work) =>
      databaseOf(service).transaction(mine, async (tx) => {
        await tx.query(forget);
        return work(tx);
      });
    expect(await tablesSeen(service, within)).toEqual([]);
  });
});

type Work = (tx: Transaction) => Promise<unknown[]>;

/** Returns the tables in which the service sees a row in such a transaction. */
async function tablesSeen(service: ServiceName, within: (work: Work) => Promise<unknown[]>): Promise<string[]> {
  const seen: string[] = [];
  for (const { name, tenant } of await allowed(service, 'SELECT')) {
    const rows = await within((tx) => tx.query(`select ${tenant} from ${name}`));
    if (rows.length > 0) seen.push(name);
  }
  return seen;
}

function databaseOf(service: ServiceName): Database {
  const database = databases.get(service);
  if (!database) throw new Error(`${service} is not connected`);
  return database;
}

/** Returns the result of work in a transaction that is rolled back. */
async function undone<Row>(service: ServiceName, work: (tx: Transaction) => Promise<Row[]>): Promise<Row[]> {
  const rollback = new Error('rolled back');
  let rows: Row[] = [];
  const ended = databaseOf(service).transaction(mine, async (tx) => {
    rows = await work(tx);
    throw rollback;
  });
  await ended.catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return rows;
}

/** Returns the tables and columns for which the service has the privilege in PostgreSQL. */
async function allowed(service: ServiceName, privilege: string): Promise<(Table & { granted: string[] })[]> {
  const role: ServiceRole = serviceRoles[service];
  const found = await admin.rows<{ name: string; granted: string[] }>(
    privilege === 'DELETE'
      ? `select relname as name, '{}'::text[] as granted from pg_class
          where relnamespace = 'public'::regnamespace and relkind = 'r' and has_table_privilege('${role}', oid, 'DELETE')`
      : `select attrelid::regclass::text as name, array_agg(attname::text order by attnum) as granted from pg_attribute
          where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
            and attnum > 0 and not attisdropped and attidentity = '' and has_column_privilege('${role}', attrelid, attnum, '${privilege}')
          group by 1`,
  );
  const columns = new Map(found.map(({ name, granted }) => [name, granted]));
  return tables.flatMap((table) => {
    const granted = columns.get(table.name);
    return granted ? [{ ...table, granted }] : [];
  });
}
