import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource, QueryRunner } from 'typeorm';
import { openDataSource } from '../data-source.js';
import { buildIndex } from './build-index.js';

const index = { name: 'events_of_a_type', on: 'events (tenant_id, type)' };

let own: TestDatabase;
let fixture: DirectoryFixture;
let dataSource: DataSource;
let tenant: string;
let sequence = 0;

beforeAll(async () => {
  own = await createTestDatabase();
  fixture = DirectoryFixture.connect(own.url);
  dataSource = await openDataSource({ url: own.url, poolSize: 4 });
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await dataSource?.destroy();
  await fixture?.close();
  await own?.drop();
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

describe('building an index on a table in use', () => {
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
