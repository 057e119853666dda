import { readFile } from 'node:fs/promises';
import { services } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDataSource } from './data-source.js';
import { Database, type Transaction } from './database.js';
import { EventFeed1700000000010 } from './migrations/1700000000010-event-feed.js';
import { LookUps1700000000025 } from './migrations/1700000000025-look-ups.js';
import { migrations } from './migrations/index.js';
import { serviceRoles } from './roles.js';
import { describeSchema } from './schema/describe-schema.js';
import { migrate, migrateDown } from './schema/migrate.js';
import { ownership } from './schema/ownership.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(async () => {
  await testDatabase?.drop();
});

describe('the schema', () => {
  it('matches schema.sql', async () => {
    const committed = await readFile(new URL('../schema.sql', import.meta.url), 'utf8');
    expect(await describeSchema(testDatabase.url)).toBe(committed);
  });

  it('matches the entities', async () => {
    const dataSource = await openDataSource({ url: testDatabase.url, poolSize: 1 });
    const drift = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    expect(drift.upQueries.map((each) => each.query)).toEqual([]);
  });

  it('forces row-level security on every table that has tenants', async () => {
    const schema = await describeSchema(testDatabase.url);
    const open = Object.keys(ownership).filter(
      (table) => !schema.includes(`alter table ${table} enable row level security, force row level security;`),
    );
    expect(open).toEqual(['bus_messages', 'service_processes', 'idsync_migrations']);
    const tables = [...schema.matchAll(/^create table (\w+)/gm)].map((match) => match[1]);
    expect([...tables].sort()).toEqual(Object.keys(ownership).sort());
  });

  it('can be reverted and restored by the migrations, and concurrent migrations apply each once', async () => {
    const own = await createTestDatabase();
    try {
      const before = await describeSchema(own.url);
      for (const _ of migrations) await migrateDown(own.url);
      expect(await describeSchema(own.url)).not.toContain('create table tenants');
      const reports = await Promise.all([migrate(own.url), migrate(own.url)]);
      expect(reports.flatMap((report) => report.applied)).toEqual(migrations.map((migration) => migration.name));
      expect(await describeSchema(own.url)).toBe(before);
    } finally {
      await own.drop();
    }
  });
});

describe('migrating', () => {
  it('grants the event feed only to keys that had all scopes', async () => {
    const own = await createTestDatabase();
    const fixture = DirectoryFixture.connect(own.url);
    const everything = ['identities:read', 'users:read', 'sync:read', 'sync:write', 'webhooks:read', 'webhooks:write'];
    const issued = { all: everything, most: everything.slice(1), feed: ['events:read'] };
    const scopes = async () => {
      const rows = await fixture.rows<{ name: string; scopes: string[] }>('select name, scopes from api_keys');
      return Object.fromEntries(rows.map((row) => [row.name, row.scopes]));
    };
    try {
      const tenant = await fixture.tenant();
      for (const [name, list] of Object.entries(issued)) {
        await fixture.rows(
          `insert into api_keys (id, tenant_id, name, secret_hash, scopes) values (gen_random_uuid(), $1, $2, '', $3)`,
          [tenant, name, list],
        );
      }
      for (const _ of migrations.slice(migrations.indexOf(EventFeed1700000000010))) await migrateDown(own.url);
      expect(await scopes()).toEqual({ ...issued, feed: [] });
      await migrate(own.url);
      expect(await scopes()).toEqual({ ...issued, all: [...everything, 'events:read'], feed: [] });
    } finally {
      await fixture.close();
      await own.drop();
    }
  });

  it('keeps planned runs, so that an overdue run still starts', async () => {
    const own = await createTestDatabase();
    const fixture = DirectoryFixture.connect(own.url);
    const plans = (planned: string) =>
      fixture.rows(
        `select c.name, s.next_run_at is not null as planned, ${planned} = c.schedule as "bySchedule"
           from connectors c join connector_states s on s.connector_id = c.id order by 1`,
      );
    try {
      const tenant = await fixture.tenant();
      for (const name of ['planned', 'to be planned']) {
        const id = await fixture.connector(tenant, { name });
        await fixture.rows(`update connectors set schedule = '{"every": "1h"}' where id = $1`, [id]);
        await fixture.rows('insert into connector_states (connector_id, tenant_id) values ($1, $2)', [id, tenant]);
      }
      await fixture.rows(
        `with planned as (update connectors set planned_schedule = schedule where name = 'planned' returning id)
         update connector_states s set due_at = now(), next_run_at = now() from planned where connector_id = planned.id`,
      );
      const kept = [
        { name: 'planned', planned: true, bySchedule: true },
        { name: 'to be planned', planned: false, bySchedule: null },
      ];
      for (const _ of migrations.slice(migrations.indexOf(LookUps1700000000025))) await migrateDown(own.url);
      expect(await plans('s.schedule')).toEqual(kept);
      await migrate(own.url);
      expect(await plans('c.planned_schedule')).toEqual(kept);
    } finally {
      await fixture.close();
      await own.drop();
    }
  });
});

describe('a service', () => {
  it.each(services)('uses its own role, which cannot bypass row-level security: %s', async (service) => {
    const database = await Database.connect({ url: testDatabase.url, service });
    const [role] = await database.withoutTenant((tx) =>
      tx.query('select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user'),
    );
    await database.close();
    expect(role).toEqual({ rolname: serviceRoles[service], rolsuper: false, rolbypassrls: false });
  });

  it('sees no row of another tenant, and no row without a tenant', async () => {
    const fixture = DirectoryFixture.connect(testDatabase.url);
    const mine = await fixture.tenant();
    const theirs = await fixture.tenant();
    await fixture.connector(mine);
    await fixture.connector(theirs);
    await fixture.close();
    const database = await Database.connect({ url: testDatabase.url, service: 'directory' });
    const tenantsSeen = (tx: Transaction) =>
      tx.query<{ tenant_id: string }>('select distinct tenant_id from connectors');
    expect(await database.transaction(mine, tenantsSeen)).toEqual([{ tenant_id: mine }]);
    expect(await database.withoutTenant(tenantsSeen)).toEqual([]);
    expect(await database.acrossTenants(tenantsSeen)).toEqual([]);
    await database.close();
  });

  it('cannot write tables that another service owns', async () => {
    const database = await Database.connect({ url: testDatabase.url, service: 'gateway' });
    const write = database.withoutTenant((tx) => tx.query(`update identities set status = 'active'`));
    await expect(write).rejects.toThrow('permission denied for table identities');
    await database.close();
  });

  it('rejects a tenant id that is not a uuid', async () => {
    const database = await Database.connect({ url: testDatabase.url, service: 'gateway' });
    await expect(database.transaction(`x'; drop table tenants; --`, async () => undefined)).rejects.toThrow(
      'not a uuid',
    );
    await database.close();
  });
});
