import { encodeId, newUuid } from '@idsync/contracts';
import { type Database, deleteConnector } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { trigger } from './trigger.js';

const atOnce = 20;

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenantId: string;
let uuid: string;
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
  uuid = await fixture.connector(tenantId);
  connector = encodeId('connector', uuid);
});

const many = (key?: (index: number) => string) =>
  Promise.all(
    Array.from({ length: atOnce }, (_, index) =>
      trigger(database, tenantId, connector, { idempotencyKey: key?.(index) }),
    ),
  );
const jobs = () =>
  fixture.rows<{ id: string; status: string }>('select id, status from sync_jobs where tenant_id = $1', [tenantId]);
const announced = async () =>
  (
    await fixture.rows<{ count: number }>(
      `select count(*)::int as count from outbox where message::jsonb->>'tenant_id' = $1`,
      [tenantId],
    )
  )[0]?.count;
const setStatus = (status: string) =>
  fixture.rows('update sync_jobs set status = $2 where tenant_id = $1', [tenantId, status]);

describe('a trigger', () => {
  it('with one key makes one job and one announcement, however many come at once', async () => {
    const answers = await many(() => 'the key');
    expect(new Set(answers.map(({ answer }) => answer.job_id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await jobs()).toHaveLength(1);
    expect(await announced()).toBe(1);
  });

  it('with keys of their own makes a job each', async () => {
    const answers = await many((index) => `key ${index}`);
    expect(new Set(answers.map(({ answer }) => answer.job_id)).size).toBe(atOnce);
    expect(answers.some(({ replayed }) => replayed)).toBe(false);
    expect(await announced()).toBe(atOnce);
  });

  it('without a key makes one queued job, however many come at once', async () => {
    const answers = await many();
    expect(new Set(answers.map(({ answer }) => answer.job_id)).size).toBe(1);
    expect(answers.every(({ answer, replayed }) => answer.status === 'queued' && !replayed)).toBe(true);
    expect(await jobs()).toHaveLength(1);
    expect(await announced()).toBe(1);
  });

  it('without a key queues one more beside the one that runs, and only one', async () => {
    const [first] = await many();
    await setStatus('running');
    const answers = await many();
    const ids = new Set(answers.map(({ answer }) => answer.job_id));
    expect(ids.size).toBe(1);
    expect(ids.has(first?.answer.job_id ?? '')).toBe(false);
    expect(await jobs()).toHaveLength(2);
  });

  it('finds the job of a key in the status it has now', async () => {
    const first = await trigger(database, tenantId, connector, { idempotencyKey: 'k' });
    await setStatus('failed');
    expect(await trigger(database, tenantId, connector, { idempotencyKey: 'k' })).toEqual({
      answer: { job_id: first.answer.job_id, status: 'failed' },
      replayed: true,
    });
  });

  it('with the key of another connector is refused, and makes nothing', async () => {
    await trigger(database, tenantId, connector, { idempotencyKey: 'k' });
    const another = encodeId('connector', await fixture.connector(tenantId));
    await expect(trigger(database, tenantId, another, { idempotencyKey: 'k' })).rejects.toMatchObject({ status: 400 });
    expect(await jobs()).toHaveLength(1);
  });

  it('gives each tenant keys of its own', async () => {
    const theirs = await fixture.tenant();
    const theirConnector = encodeId('connector', await fixture.connector(theirs));
    const mine = await trigger(database, tenantId, connector, { idempotencyKey: 'k' });
    const other = await trigger(database, theirs, theirConnector, { idempotencyKey: 'k' });
    expect(other.replayed).toBe(false);
    expect(other.answer.job_id).not.toBe(mine.answer.job_id);
  });

  it('takes over a key after its 24 hours, once, however many come at once', async () => {
    const first = await trigger(database, tenantId, connector, { idempotencyKey: 'k' });
    const [kept] = await fixture.rows<{ hours: number }>(
      `select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys where tenant_id = $1`,
      [tenantId],
    );
    expect(Number(kept?.hours)).toBeCloseTo(24, 1);
    await fixture.rows(`update idempotency_keys set expires_at = now() - interval '1 s' where tenant_id = $1`, [
      tenantId,
    ]);
    const answers = await many(() => 'k');
    const ids = new Set(answers.map(({ answer }) => answer.job_id));
    expect(ids.size).toBe(1);
    expect(ids.has(first.answer.job_id)).toBe(false);
    expect(await jobs()).toHaveLength(2);
  });

  it('of a connector that is not there leaves no key behind, so that it can be tried again', async () => {
    const absent = encodeId('connector', newUuid());
    await expect(trigger(database, tenantId, absent, { idempotencyKey: 'k' })).rejects.toMatchObject({ status: 404 });
    expect((await trigger(database, tenantId, connector, { idempotencyKey: 'k' })).replayed).toBe(false);
  });

  it('of a connector that was deleted is refused, while a repeat still finds its job', async () => {
    const first = await trigger(database, tenantId, connector, { idempotencyKey: 'k' });
    await database.transaction(tenantId, (tx) => deleteConnector(tx, tenantId, uuid));
    expect(await trigger(database, tenantId, connector, { idempotencyKey: 'k' })).toMatchObject({
      answer: first.answer,
      replayed: true,
    });
    await expect(trigger(database, tenantId, connector)).rejects.toMatchObject({ status: 404 });
    await expect(trigger(database, tenantId, connector, { idempotencyKey: 'new' })).rejects.toMatchObject({
      status: 404,
    });
  });
});
