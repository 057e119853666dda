import { readFile } from 'node:fs/promises';
import { services } from '@idsync/contracts';
import { createEmptyDatabase, createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDataSource } from './data-source.js';
import { Database, type Transaction } from './database.js';
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

  // Indexes, checks and foreign keys are only in the migrations, so TypeORM would drop them.
  it('has the tables and columns of the entities', async () => {
    const dataSource = await openDataSource({ url: testDatabase.url, poolSize: 1 });
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    const drift = upQueries.map(({ query }) => query);
    expect(drift.filter((query) => !/^(DROP INDEX|ALTER TABLE "\w+" DROP CONSTRAINT) "\S+"$/.test(query))).toEqual([]);
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

  it('begins every key of a table with its tenant, and every index that is not for searches across tenants', async () => {
    const fixture = DirectoryFixture.connect(testDatabase.url);
    const indexes = await fixture.rows<{ name: string; is_key: boolean }>(
      `select i.indexrelid::regclass::text as name, i.indisunique as is_key
         from pg_index i
         join pg_attribute t on t.attrelid = i.indrelid and t.attname = 'tenant_id'
        where i.indrelid::regclass::text = any($1) and i.indkey[0] <> t.attnum order by 1`,
      [Object.keys(ownership)],
    );
    const references = await fixture.rows(
      `select c.conname from pg_constraint c join pg_attribute t on t.attrelid = c.conrelid and t.attname = 'tenant_id'
        where c.contype = 'f' and c.conkey[1] <> t.attnum`,
    );
    await fixture.close();
    expect(indexes.filter(({ is_key }) => is_key)).toEqual([]);
    expect(references).toEqual([]);
    expect(indexes.map(({ name }) => name)).toEqual([
      'api_keys_id',
      'audit_entries_everywhere',
      'connector_states_due',
      'connectors_to_plan',
      'findings_open',
      'idempotency_keys_expiry',
      'portal_links_expiry',
      'portal_links_id',
      'scim_resources_tombstones',
      'sync_jobs_finished',
      'sync_jobs_records_unfinished',
      'sync_jobs_sweeping',
      'webhook_replays_open',
    ]);
  });

  it('is created by concurrent migrations, which apply each once', async () => {
    const own = await createEmptyDatabase();
    try {
      const reports = await Promise.all([migrate(own.url), migrate(own.url)]);
      expect(reports.flatMap((report) => report.applied)).toEqual(migrations.map((migration) => migration.name));
      expect(await describeSchema(own.url)).toBe(await describeSchema(testDatabase.url));
    } finally {
      await own.drop();
    }
  });

  it('can be reverted and restored by every migration except the first', async () => {
    const own = await createTestDatabase();
    try {
      for (const _ of migrations.slice(1)) await migrateDown(own.url);
      await expect(migrateDown(own.url)).rejects.toThrow('the first migration cannot be reverted');
      await migrate(own.url);
      expect(await describeSchema(own.url)).toBe(await describeSchema(testDatabase.url));
    } finally {
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
