import { newUuid } from '@idsync/contracts';
import { assignTime } from '@idsync/database/bus';
import { type DueTenant, findDueTenants, saveNextDue } from '@idsync/database/directory';
import { noteDue } from '@idsync/database/settings';
import { silentLogger } from '@idsync/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness } from '../../test/harness.js';
import { doDueWork } from './due-work.js';

let directory: Harness;
let tenant: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  ({ tenant } = directory);
  // Its first pass over findings ends.
  await work();
});

afterAll(() => directory?.close());

const rows = (sql: string, values: unknown[] = []) => directory.fixture.rows<Record<string, unknown>>(sql, values);
const found = async (): Promise<DueTenant | undefined> =>
  (await directory.database.acrossTenants(findDueTenants)).find(({ id }) => id === tenant);

/** Does the work of the tenant until it has none. */
async function work(): Promise<void> {
  for (let due = await found(), round = 0; due; due = await found(), round += 1) {
    if (round > 5) throw new Error('the tenant is due again and again');
    await doDueWork(directory.database, silentLogger, due, new Date(Date.now() + 5_000));
  }
}

/** Seconds until the tenant is due. */
async function secondsLeft(): Promise<number> {
  const [row] = await rows(
    'select extract(epoch from next_at - now())::float8 as left from due_tenants where tenant_id = $1',
    [tenant],
  );
  return Number(row?.left);
}

const soon = `now() + interval '10 minutes'`;

describe('a tenant without work', () => {
  it('is found again within an hour only', async () => {
    expect(await found()).toBeUndefined();
    const left = await secondsLeft();
    expect(left).toBeGreaterThan(3_000);
    expect(left).toBeLessThanOrEqual(3_600);
  });

  it('is found after a change of the directory, whether or not it has an event', async () => {
    await directory.database.transaction(tenant, (tx) => assignTime(tx, tenant));
    expect(await found()).toBeDefined();
    await work();
    expect(await found()).toBeUndefined();
  });

  it('is found when work is noted, and at the time for which it is noted', async () => {
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant, 600));
    expect(await found()).toBeUndefined();
    expect(await secondsLeft()).toBeLessThanOrEqual(600);
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant));
    expect(await found()).toBeDefined();
  });

  it('is not found while it is being deleted', async () => {
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant));
    await rows('insert into tenant_deletions (tenant_id) values ($1)', [tenant]);
    expect(await found()).toBeUndefined();
  });
});

describe('a tenant whose work is done', () => {
  const unansweredSeconds = 900;

  it('is still due if work was noted in the meantime', async () => {
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant));
    const due = await found();
    if (!due) throw new Error('the tenant is not due');
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant, 600));
    await directory.database.transaction(tenant, (tx) => saveNextDue(tx, due, unansweredSeconds, undefined));
    expect(await found()).toBeDefined();
  });

  it('is still due if it was changed in the meantime', async () => {
    await directory.database.transaction(tenant, (tx) => assignTime(tx, tenant));
    const due = await found();
    if (!due) throw new Error('the tenant is not due');
    await directory.database.transaction(tenant, (tx) => assignTime(tx, tenant));
    await directory.database.transaction(tenant, (tx) => saveNextDue(tx, due, unansweredSeconds, undefined));
    expect(await found()).toBeDefined();
  });

  it('is still due if its work failed', async () => {
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant));
    const due = await found();
    if (!due) throw new Error('the tenant is not due');
    const broken = new Proxy(directory.database, {
      get: (target, name) =>
        name === 'transaction' ? () => Promise.reject(new Error('no connection')) : Reflect.get(target, name),
    });
    await expect(doDueWork(broken, silentLogger, due, new Date())).rejects.toThrow('no connection');
    expect(await found()).toBeDefined();
  });

  it.each([
    [
      'a record changes',
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
        created_at, updated_at, document, last_job_id, last_seq, status_since, due_at)
      values ($2, $1, 'user', $2, 'x', 'pending', '', '{}', '{}', now(), now(), '{}', $2, 1, now(), ${soon})`,
    ],
    [
      'a tombstone is purged',
      `insert into identities (id, tenant_id, status, created_at, updated_at, document, purge_at)
      values ($2, $1, 'deleted', now(), now(), '{}', ${soon})`,
    ],
    [
      'the message of an operation counts as lost',
      `insert into operations (id, tenant_id, type, input, announced_at)
      values ($2, $1, 'identity.erase', '{}', now() - interval '5 minutes')`,
    ],
    [
      'an acceptance ends',
      `insert into findings (id, tenant_id, kind, subject_id, evidence, opened_at, state, accepted_until)
      values ($2, $1, 'unknown_manager', $2, '{}', now(), 'accepted', ${soon})`,
    ],
    [
      'a source becomes stale',
      `insert into connectors (id, tenant_id, type, name, priority, records, config, created_at)
      values ($2, $1, 'csv', 'HR', 100, 'user', '{}', now() - interval '35 hours 50 minutes')`,
    ],
  ])('is due when %s', async (_, sql) => {
    await rows(sql, [tenant, newUuid()]);
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant));
    await work();
    const left = await secondsLeft();
    expect(left).toBeGreaterThan(570);
    expect(left).toBeLessThanOrEqual(600);
  });

  it('is due at once while records wait for matching', async () => {
    const connector = await directory.fixture.connector(tenant);
    await directory.fixture.job(tenant, connector, 'running');
    await rows('insert into match_queue (tenant_id, record_id) values ($1, $2)', [tenant, newUuid()]);
    await directory.database.transaction(tenant, (tx) => noteDue(tx, tenant));
    const due = await found();
    if (!due) throw new Error('the tenant is not due');
    await doDueWork(directory.database, silentLogger, due, new Date(Date.now() + 5_000));
    expect(await found()).toBeDefined();
  });
});
