import { randomBytes } from 'node:crypto';
import { services } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource, QueryRunner } from 'typeorm';
import { openDataSource } from '../data-source.js';
import { Database } from '../database.js';
import { serviceRoles } from '../roles.js';
import { buildIndex } from './build-index.js';
import { createDatabase, databaseUrl, dropDatabase } from './create-database.js';
import { migrate } from './migrate.js';

let own: TestDatabase;
let fixture: DirectoryFixture;

beforeAll(async () => {
  own = await createTestDatabase();
  await migrate(own.url);
  fixture = DirectoryFixture.connect(own.url);
});

afterAll(async () => {
  await fixture?.close();
  await own?.drop();
});

describe('a service', () => {
  it.each(services)('cannot create temporary tables, large objects or tables: %s', async (service) => {
    const database = await Database.connect({ url: own.url, service, poolSize: 1 });
    const run = (sql: string) => database.withoutTenant((tx) => tx.query(sql));
    try {
      await expect(run('create temporary table copies (id uuid)')).rejects.toThrow('permission denied to create temp');
      await expect(run(`select lo_from_bytea(0, 'people')`)).rejects.toThrow('permission denied for function');
      await expect(run('select lo_create(0)')).rejects.toThrow('permission denied for function');
      await expect(run('create table copies (id uuid)')).rejects.toThrow('permission denied for schema public');
    } finally {
      await database.close();
    }
  });

  it('cannot create copies of tables, unless it is the directory', async () => {
    const allowed = await fixture.rows(
      `select rolname from pg_roles where rolname ~ '^idsync_|^pg_' and has_function_privilege(oid, 'create_copies(text[])', 'execute')`,
    );
    expect(allowed).toEqual([{ rolname: 'idsync_directory' }]);
  });

  it('cannot call any large object function of PostgreSQL', async () => {
    const callable = await fixture.rows(
      `select role, p.oid::regprocedure::text as function from pg_proc p, unnest($1::text[]) as role
        where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^lo(_|read|write)|^lowrite'
          and has_function_privilege(role, p.oid, 'execute')`,
      [Object.values(serviceRoles)],
    );
    expect(callable).toEqual([]);
  });
});

describe('the database', () => {
  it('rejects connections of logins without an explicit grant', async () => {
    const [rights] = await fixture.rows(
      `select has_database_privilege('idsync_gateway', current_database(), 'connect') as service,
              has_database_privilege('pg_monitor', current_database(), 'connect') as other`,
    );
    expect(rights).toEqual({ service: true, other: false });
  });

  it('can be migrated by an owner without superuser rights, with a report of what an administrator must revoke', async () => {
    const name = `idsync_test_${randomBytes(6).toString('hex')}`;
    const owner = `${name}_owner`;
    const url = new URL(databaseUrl(own.url, name));
    url.username = owner;
    // The embedded PostgreSQL asks for a password.
    url.password = randomBytes(12).toString('hex');
    await fixture.rows(`create role ${owner} login bypassrls password '${url.password}'`);
    try {
      await fixture.rows(`grant ${Object.values(serviceRoles).join(', ')} to ${owner}`);
      await createDatabase(own.url, name);
      await fixture.rows(`alter database ${name} owner to ${owner}`);
      const lines: string[] = [];
      await migrate(url.href, (line) => lines.push(line));
      const reported = lines.filter((line) => line.includes('an administrator must run'));
      expect(reported).toEqual([expect.stringContaining('large objects are not revoked')]);
      const statements = reported.join().replace(/^.*must run: /, '');
      expect(statements).toContain('revoke execute on function pg_catalog.lo_from_bytea(oid, bytea) from public');

      const administrator = DirectoryFixture.connect(databaseUrl(own.url, name));
      for (const statement of statements.split('; ')) await administrator.rows(statement);
      await administrator.close();
      lines.length = 0;
      expect(await migrate(url.href, (line) => lines.push(line))).toEqual({ applied: [] });
      expect(lines).toEqual([]);
    } finally {
      await dropDatabase(own.url, name);
      await fixture.rows(`drop role ${owner}`);
    }
  });
});

describe('building an index on a table in use', () => {
  const index = { name: 'events_of_a_type', on: 'events (tenant_id, type)' };

  let dataSource: DataSource;
  let tenant: string;
  let sequence = 0;

  beforeAll(async () => {
    dataSource = await openDataSource({ url: own.url, poolSize: 4 });
    tenant = await fixture.tenant();
  });

  afterAll(async () => {
    await dataSource?.destroy();
  });

  const write = `insert into events (id, tenant_id, sequence, type, occurred_at, details)
    values (gen_random_uuid(), $1, $2, 'user.created', now(), '{}')`;
  const next = () => [tenant, ++sequence];

  async function openWriter(): Promise<QueryRunner> {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(write, next());
    return runner;
  }

  async function valid(): Promise<boolean | undefined> {
    const [row] = await fixture.rows<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [index.name],
    );
    return row?.valid;
  }

  it('does not block writers, and is completed by the next run if it is interrupted', async () => {
    const writer = await openWriter();
    const cut = dataSource.createQueryRunner();
    const [{ pid }] = await cut.query('select pg_backend_pid() as pid');
    const failed = buildIndex(cut, index).catch((error: Error) => error.message);
    await fixture.waitForBlockedLock();
    // It waits for the earlier writer; later writers do not wait for it.
    await fixture.rows(write, next());
    expect(await valid()).toBe(false);
    await fixture.rows('select pg_terminate_backend($1)', [pid]);
    expect(await failed).toContain('terminating connection');
    expect(await valid()).toBe(false);
    await writer.commitTransaction();
    await writer.release();

    const again = dataSource.createQueryRunner();
    await buildIndex(again, index);
    expect(await valid()).toBe(true);
    const [{ lock_timeout: left }] = await again.query('show lock_timeout');
    expect(left).toBe('0');
    await again.release();
  });

  it('does nothing if the index exists', async () => {
    const runner = dataSource.createQueryRunner();
    const [before] = await fixture.rows('select to_regclass($1)::oid as oid', [index.name]);
    await buildIndex(runner, index);
    expect(await fixture.rows('select to_regclass($1)::oid as oid', [index.name])).toEqual([before]);
    await runner.release();
  });
});
