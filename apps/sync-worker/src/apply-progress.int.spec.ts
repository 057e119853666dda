import { type Message, messageTypes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findBatch } from '@idsync/database/directory';
import { lockJob, saveFailingRecords } from '@idsync/database/sync';
import { silentLogger } from '@idsync/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { applyProgress } from './apply-progress.js';
import { cancelRequestedJob } from './cancel-requested-job.js';
import { purgeBatches, republishBatches } from './chores.js';
import { claimJob } from './claim-job.js';
import { failUnappliedBatch } from './fail-unapplied-batch.js';
import { logEnds } from './job-ends.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

let fixture: SyncFixture;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

afterAll(async () => {
  await fixture?.close();
});

/** Reads the source of a new job. Returns the job with the announcements of its batches. */
async function readJob(lines: number): Promise<{ id: string; tenantId: string; ready: Message<'sync.batch.ready'>[] }> {
  const job = await fixture.queueAlone();
  const context = fixture.context(listSource(lines));
  const claimed = await claimJob(context, job);
  if (!claimed) throw new Error('not claimed');
  await runJob(context, claimed, new RunControl());
  return { ...job, ready: await fixture.announced() };
}

async function answers(ready: Message<'sync.batch.ready'>[]): Promise<Message<'sync.batch.applied'>[]> {
  const applied = await Promise.all(ready.map((message) => fixture.apply(message)));
  return applied.filter((message) => message !== undefined);
}

const batchesLeft = async (jobId: string) =>
  (await fixture.rows.rows('select from sync_batches where job_id = $1', [jobId])).length;

describe('the progress of a job', () => {
  it('keeps the line and the value of a field because of which the directory leaves its record out', async () => {
    const { id, tenantId } = await readJob(10);
    const said = '2026-02-31';
    const field = { field: 'hire_date', message: 'hire_date is not a date', said };
    const read = ['a', 'b'].map((external_id, line) => ({ ...field, external_id, line }));
    const leftOut = [
      { external_id: 'a', message: 'hire_date cannot be used; without it, a new user would be active' },
      { external_id: 'b', message: 'could not be applied' },
    ];
    for (const errors of [read, leftOut]) {
      await fixture.database.transaction(tenantId, async (tx) => {
        const job = await lockJob(tx, tenantId, id);
        if (job) await saveFailingRecords(tx, job, errors);
      });
    }
    const shown = 'select external_id, line::int, field, message, source_message from failing_records';
    expect(await fixture.rows.rows(`${shown} where job_id = $1 order by external_id`, [id])).toEqual([
      { ...leftOut[0], line: 0, field: null, source_message: said },
      { ...leftOut[1], line: 1, field: null, source_message: null },
    ]);
  });

  it('counts a batch once for repeated and concurrent answers', async () => {
    const job = await readJob(50);
    const applied = await answers(job.ready);
    const again = [...applied, ...applied, ...[...applied].reverse()];
    const ended = await Promise.all(again.map((message) => applyProgress(fixture.database, message)));
    expect(ended.filter((each) => each)).toHaveLength(1);
    expect(await fixture.sweepAll()).toBe(1);
    expect(await fixture.job(job.id)).toMatchObject({
      status: 'completed',
      batches_processed: 5,
      records_applied: 50,
      progress_pct: 100,
    });
    const ends = (await fixture.events(job.id)).filter((event) => event.type === 'sync.job.completed');
    expect(ends).toHaveLength(1);
  });

  it('logs one line without error messages when the job has ended', async () => {
    const lines: unknown[][] = [];
    const line = (level: string) => (fields: object | string, message?: string) =>
      void lines.push([level, fields, message]);
    const stopLogging = logEnds({ ...silentLogger, debug: line('debug'), info: line('info'), warn: line('warn') });
    const job = await readJob(10);
    for (const message of await answers(job.ready)) await applyProgress(fixture.database, message);
    await fixture.sweepAll();
    const failing = await readJob(20);
    const [first] = failing.ready;
    if (first) await failUnappliedBatch(fixture.database, first);
    stopLogging();
    await readJob(10);
    const logged = ({ id, tenantId }: { id: string; tenantId: string }, status: string) => ({
      tenant_id: tenantId,
      job_id: id,
      connector_id: expect.any(String),
      status,
    });
    expect(lines).toEqual([
      ['info', logged(job, 'completed'), 'job ended'],
      ['warn', logged(failing, 'failed'), 'job failed'],
    ]);
  });

  it('counts and reports records that the directory skipped', async () => {
    const job = await readJob(10);
    const [applied] = await answers(job.ready);
    if (!applied) throw new Error('no answer');
    const errors = [{ external_id: 'r\u00003', message: 'listed more than once by the source' }];
    await applyProgress(fixture.database, { ...applied, data: { ...applied.data, created: 4, unchanged: 5, errors } });
    await fixture.sweepAll();
    expect(await fixture.job(job.id)).toMatchObject({
      status: 'completed_with_errors',
      records_applied: 9,
      records_failed: 1,
      error_message: '1 record was left out; r3: listed more than once by the source',
    });
    // Events are permanent, so they must not contain the id of a record.
    expect((await fixture.events(job.id)).at(-1)).toMatchObject({ details: { error: '1 record was left out' } });
  });

  it('reports the line of a record that the directory skipped, if the record has one', async () => {
    const job = await readJob(10);
    const [applied] = await answers(job.ready);
    const errors = [{ external_id: 'TRAILER', line: 12, message: 'has neither a name nor a match key' }];
    const answer = messageTypes['sync.batch.applied'].parse({
      ...applied,
      data: { ...applied?.data, created: 9, errors },
    });
    await applyProgress(fixture.database, answer);
    expect(await fixture.recordErrors(job.id)).toMatchObject([{ line: 12, message: errors[0]?.message }]);
  });

  it('ignores an answer with the id of another tenant', async () => {
    const job = await readJob(10);
    const [applied] = await answers(job.ready);
    if (!applied) throw new Error('no answer');
    const other = await fixture.rows.tenant();
    expect(await applyProgress(fixture.database, { ...applied, tenant_id: other })).toBe(false);
    expect(await fixture.job(job.id)).toMatchObject({ status: 'running', batches_processed: 0 });
  });
});

describe('a dead-lettered batch', () => {
  it('fails its job with the number of the batch, and removes the other batches', async () => {
    const job = await readJob(30);
    const [, second] = job.ready;
    if (!second) throw new Error('no second batch');
    expect(await failUnappliedBatch(fixture.database, second)).toBe(true);
    expect(await fixture.job(job.id)).toMatchObject({
      status: 'failed',
      error_message: 'batch 2 could not be applied; see the log of the directory',
    });
    expect(await batchesLeft(job.id)).toBe(0);
  });

  it('fails its job only after all batches in progress are applied', async () => {
    const job = await readJob(20);
    const [first] = job.ready;
    if (!first) throw new Error('no batch');
    let failed: Promise<boolean> | undefined;
    // The same lock that the directory holds while it applies a batch.
    await fixture.database.transaction(first.tenant_id, async (tx) => {
      await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`batches ${job.id}`]);
      failed = failUnappliedBatch(fixture.database, first);
      await fixture.rows.waitForBlockedLock();
      expect(await fixture.job(job.id)).toMatchObject({ status: 'running' });
    });
    expect(await failed).toBe(true);
    expect(await fixture.job(job.id)).toMatchObject({ status: 'failed' });
  });

  it('does not fail its job if it was already applied', async () => {
    const job = await readJob(20);
    const [first] = job.ready;
    if (!first) throw new Error('no batch');
    const [applied] = await answers([first]);
    if (applied) await applyProgress(fixture.database, applied);
    expect(await failUnappliedBatch(fixture.database, first)).toBe(false);
    expect(await fixture.job(job.id)).toMatchObject({ status: 'running', batches_processed: 1 });
  });
});

describe('cancelling', () => {
  const request = (job: { id: string; tenantId: string }, reason?: string) => ({
    id: job.id,
    tenant_id: job.tenantId,
    data: { job_id: job.id, ...(reason !== undefined && { reason }) },
  });

  it('ends a queued job immediately', async () => {
    const job = await fixture.queueAlone();
    expect(await cancelRequestedJob(fixture.database, request(job, 'wrong file'))).toBe(true);
    expect(await fixture.job(job.id)).toMatchObject({ status: 'cancelled', cancel_reason: 'wrong file' });
    expect(await fixture.events(job.id)).toMatchObject([
      { type: 'sync.job.cancelled', details: { reason: 'wrong file', records_read: 0 } },
    ]);
  });

  it('ends a running job, counts later answers of applied batches, and deletes the other batches', async () => {
    const job = await readJob(30);
    const applied = (await answers(job.ready)).slice(0, 2);
    await cancelRequestedJob(fixture.database, request(job));
    const atEnd = await fixture.job(job.id);
    expect(atEnd).toMatchObject({ status: 'cancelled', records_applied: 0 });
    for (const message of [...applied, ...applied]) {
      expect(await applyProgress(fixture.database, message)).toBe(false);
    }
    for (const message of job.ready) expect(await failUnappliedBatch(fixture.database, message)).toBe(false);
    const later = { status: 'cancelled', records_applied: 20, batches_processed: 2, completed_at: atEnd?.completed_at };
    expect(await fixture.job(job.id)).toMatchObject(later);
    await republishBatches(fixture.database, -1);
    expect((await fixture.announced()).filter(({ data }) => data.job_id === job.id)).toEqual([]);
    expect(await batchesLeft(job.id)).toBe(1);
    await purgeBatches(fixture.database, -1);
    expect(await batchesLeft(job.id)).toBe(0);
  });

  it('waits for a batch that is being applied, so that no batch is applied after the end', async () => {
    const job = await readJob(20);
    const order: string[] = [];
    let cancelled: Promise<unknown> | undefined;
    const directory = await Database.connect({ url: fixture.url, service: 'directory' });
    await directory.transaction(job.tenantId, async (tx) => {
      await findBatch(tx, job.id, 0);
      cancelled = cancelRequestedJob(fixture.database, request(job)).then(() => order.push('cancelled'));
      await fixture.rows.waitForBlockedLock();
      order.push('applied');
    });
    await cancelled;
    expect(order).toEqual(['applied', 'cancelled']);
    const after = await directory.transaction(job.tenantId, (tx) => findBatch(tx, job.id, 1));
    await directory.close();
    expect(after).toMatchObject({ jobStatus: 'cancelled' });
  });

  it('ignores a job that has ended and a job of another tenant', async () => {
    const ended = await readJob(0);
    await fixture.sweepAll();
    expect(await cancelRequestedJob(fixture.database, request(ended))).toBe(false);
    expect(await fixture.job(ended.id)).toMatchObject({ status: 'completed' });
    const job = await fixture.queueAlone();
    const foreign = { ...request(job), tenant_id: await fixture.rows.tenant() };
    expect(await cancelRequestedJob(fixture.database, foreign)).toBe(false);
    expect(await fixture.job(job.id)).toMatchObject({ status: 'queued' });
  });
});
