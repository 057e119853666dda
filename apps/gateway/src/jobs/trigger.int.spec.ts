import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { deleteConnector, type TriggerRequest } from '@idsync/database/gateway';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { trigger as triggerIn } from './trigger.js';

const concurrency = 20;

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenantId: string;
let connector: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  ({ database, fixture } = own);
});

afterAll(async () => {
  await own?.close();
});

beforeEach(async () => {
  tenantId = await fixture.tenant();
  connector = await fixture.connector(tenantId);
});

const trigger = (tenant: string, connectorId: string, more: Omit<TriggerRequest, 'connectorId'> = {}) =>
  database.transaction(tenant, (tx) => triggerIn(tx, { connectorId, ...more }));
const many = (key?: (index: number) => string) =>
  Promise.all(
    Array.from({ length: concurrency }, (_, index) => trigger(tenantId, connector, { idempotencyKey: key?.(index) })),
  );
const jobs = () =>
  fixture.rows<{ id: string; status: string }>('select id, status from sync_jobs where tenant_id = $1', [tenantId]);
const messageCount = async () =>
  (
    await fixture.rows<{ count: number }>(
      `select count(*)::int as count from outbox where message::jsonb->>'tenant_id' = $1`,
      [tenantId],
    )
  )[0]?.count;
const setStatus = (status: string) =>
  fixture.rows('update sync_jobs set status = $2 where tenant_id = $1', [tenantId, status]);

describe('a trigger', () => {
  it('with one idempotency key creates one job and one message for concurrent requests', async () => {
    const answers = await many(() => 'the key');
    expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await jobs()).toHaveLength(1);
    expect(await messageCount()).toBe(1);
  });

  it('with different idempotency keys creates one job each', async () => {
    const answers = await many((index) => `key ${index}`);
    expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(concurrency);
    expect(answers.some(({ replayed }) => replayed)).toBe(false);
    expect(await messageCount()).toBe(concurrency);
  });

  it('without an idempotency key creates one queued job for concurrent requests', async () => {
    const answers = await many();
    expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(1);
    expect(answers.every(({ body, replayed }) => body.status === 'queued' && !replayed)).toBe(true);
    expect(await jobs()).toHaveLength(1);
    expect(await messageCount()).toBe(1);
  });

  it('without an idempotency key queues only one job beside the running one', async () => {
    const [first] = await many();
    await setStatus('running');
    const answers = await many();
    const ids = new Set(answers.map(({ body }) => body.job_id));
    expect(ids.size).toBe(1);
    expect(ids.has(first?.body.job_id ?? '')).toBe(false);
    expect(await jobs()).toHaveLength(2);
  });

  it('returns the job of a repeated key with its current status', async () => {
    const first = await trigger(tenantId, connector, { idempotencyKey: 'k' });
    await setStatus('failed');
    expect(await trigger(tenantId, connector, { idempotencyKey: 'k' })).toEqual({
      body: { job_id: first.body.job_id, status: 'failed' },
      replayed: true,
    });
  });

  it('with the key of another connector is rejected and creates nothing', async () => {
    await trigger(tenantId, connector, { idempotencyKey: 'k' });
    const another = await fixture.connector(tenantId);
    await expect(trigger(tenantId, another, { idempotencyKey: 'k' })).rejects.toMatchObject({ status: 400 });
    expect(await jobs()).toHaveLength(1);
  });

  it('separates the idempotency keys of tenants', async () => {
    const theirs = await fixture.tenant();
    const theirConnector = await fixture.connector(theirs);
    const mine = await trigger(tenantId, connector, { idempotencyKey: 'k' });
    const other = await trigger(theirs, theirConnector, { idempotencyKey: 'k' });
    expect(other.replayed).toBe(false);
    expect(other.body.job_id).not.toBe(mine.body.job_id);
  });

  it('reuses an idempotency key after 24 hours, once for concurrent requests', async () => {
    const first = await trigger(tenantId, connector, { idempotencyKey: 'k' });
    const [kept] = await fixture.rows<{ hours: number }>(
      `select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys where tenant_id = $1`,
      [tenantId],
    );
    expect(Number(kept?.hours)).toBeCloseTo(24, 1);
    await fixture.rows(`update idempotency_keys set expires_at = now() - interval '1 s' where tenant_id = $1`, [
      tenantId,
    ]);
    const answers = await many(() => 'k');
    const ids = new Set(answers.map(({ body }) => body.job_id));
    expect(ids.size).toBe(1);
    expect(ids.has(first.body.job_id)).toBe(false);
    expect(await jobs()).toHaveLength(2);
  });

  it('of an unknown connector stores no key, so that it can be retried', async () => {
    const absent = newUuid();
    await expect(trigger(tenantId, absent, { idempotencyKey: 'k' })).rejects.toMatchObject({ status: 404 });
    expect((await trigger(tenantId, connector, { idempotencyKey: 'k' })).replayed).toBe(false);
  });

  it('of a deleted connector is rejected, while a repeated key still returns its job', async () => {
    const first = await trigger(tenantId, connector, { idempotencyKey: 'k' });
    await database.transaction(tenantId, (tx) => deleteConnector(tx, connector));
    expect(await trigger(tenantId, connector, { idempotencyKey: 'k' })).toMatchObject({
      body: first.body,
      replayed: true,
    });
    await expect(trigger(tenantId, connector)).rejects.toMatchObject({ status: 404 });
    await expect(trigger(tenantId, connector, { idempotencyKey: 'new' })).rejects.toMatchObject({
      status: 404,
    });
  });
});
