import { encodeId, type Message, type MessageData, messageTypes, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findBatch } from '@idsync/database/directory';
import { deleteLeftoverBatches, lockJob, saveFailingRecords } from '@idsync/database/sync';
import { silentLogger } from '@idsync/runtime';
import { describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { republishBatches, republishSweeps } from './chores.js';
import { claimJob } from './claim-job.js';
import {
  applyProgress,
  cancelRequestedJob,
  endSweep,
  failSweep,
  failUnappliedBatch,
  quarantine,
  releaseJob,
} from './job-messages.js';
import { logEnds } from './metrics.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

const fixture = SyncFixture.ofFile();

describe('batches', () => {
  /** Reads the source of a new job. Returns the job with the announcements of its batches. */
  async function readJob(
    lines: number,
  ): Promise<{ id: string; tenantId: string; ready: Message<'sync.batch.ready'>[] }> {
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
          const job = await lockJob(tx, id);
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
      const ended = await Promise.all(again.map((message) => applyProgress(fixture, message)));
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
      for (const message of await answers(job.ready)) await applyProgress(fixture, message);
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
      await applyProgress(fixture, {
        ...applied,
        data: { ...applied.data, created: 4, unchanged: 5, errors },
      });
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
      await applyProgress(fixture, answer);
      expect(await fixture.recordErrors(job.id)).toMatchObject([{ line: 12, message: errors[0]?.message }]);
    });

    it('does not count an answer with the id of another tenant, whose job may not be visible yet', async () => {
      const job = await readJob(10);
      const [applied] = await answers(job.ready);
      if (!applied) throw new Error('no answer');
      const other = await fixture.rows.tenant();
      const foreign = applyProgress(fixture, { ...applied, tenant_id: other });
      await expect(foreign).rejects.toThrow('the job of the message is not visible yet');
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
      if (applied) await applyProgress(fixture, applied);
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
        expect(await applyProgress(fixture, message)).toBe(false);
      }
      for (const message of job.ready) expect(await failUnappliedBatch(fixture.database, message)).toBe(false);
      const later = {
        status: 'cancelled',
        records_applied: 20,
        batches_processed: 2,
        completed_at: atEnd?.completed_at,
      };
      expect(await fixture.job(job.id)).toMatchObject(later);
      await republishBatches(fixture.database, -1);
      expect((await fixture.announced()).filter(({ data }) => data.job_id === job.id)).toEqual([]);
      expect(await batchesLeft(job.id)).toBe(1);
      await deleteLeftoverBatches(fixture.database, -1, 100);
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

    it('ignores a job that has ended, and finds no job of another tenant', async () => {
      const ended = await readJob(0);
      await fixture.sweepAll();
      expect(await cancelRequestedJob(fixture.database, request(ended))).toBe(false);
      expect(await fixture.job(ended.id)).toMatchObject({ status: 'completed' });
      const job = await fixture.queueAlone();
      const foreign = { ...request(job), tenant_id: await fixture.rows.tenant() };
      await expect(cancelRequestedJob(fixture.database, foreign)).rejects.toThrow('not visible yet');
      expect(await fixture.job(job.id)).toMatchObject({ status: 'queued' });
    });
  });
});

describe('sweeps', () => {
  interface Job {
    id: string;
    tenantId: string;
  }

  /** Returns a job that waits for its sweep. */
  async function readJob(): Promise<Job & { connectorId: string }> {
    const job = await fixture.queueAlone();
    const context = fixture.context(listSource(0));
    const claimed = await claimJob(context, job);
    if (!claimed) throw new Error('not claimed');
    await runJob(context, claimed, new RunControl());
    return job;
  }

  /** Deletes the sweep requests of this job in the outbox and returns their number. */
  const takeRequests = async ({ id }: Job): Promise<number> =>
    (
      await fixture.rows.rows(
        `delete from outbox where type = 'sync.sweep.requested' and message::jsonb #>> '{data,job_id}' = $1 returning id`,
        [id],
      )
    ).length;

  const to = <Data extends object>(
    { id, tenantId }: Job,
    data: Data,
  ): { id: string; tenant_id: string; data: Data & MessageData<'sync.job.ended'> } => ({
    id: newUuid(),
    tenant_id: tenantId,
    data: { job_id: id, ...data },
  });

  const decision = async ({ id }: Job): Promise<unknown> =>
    (await fixture.rows.rows<{ decision: unknown }>('select decision from sync_jobs where id = $1', [id]))[0]?.decision;

  const row = async ({ id }: Job) =>
    (
      await fixture.rows.rows<Record<string, unknown>>(
        'select status, note, records_deleted::int, sweep_asked_at from sync_jobs where id = $1',
        [id],
      )
    )[0];

  const events = async ({ id }: Job): Promise<string[]> => (await fixture.events(id)).map(({ type }) => type);

  describe('an answer to a sweep', () => {
    it('completes the job once, with the number of deletions and the note', async () => {
      const job = await readJob();
      expect(await takeRequests(job)).toBe(1);
      const answer = to(job, { deleted: 3, note: 'nothing more' });
      expect(await endSweep(fixture.database, answer)).toBe(true);
      expect(await endSweep(fixture.database, to(job, { deleted: 5 }))).toBe(false);
      expect(await row(job)).toEqual({
        status: 'completed',
        note: 'nothing more',
        records_deleted: 3,
        sweep_asked_at: null,
      });
      expect(await events(job)).toEqual(['sync.job.started', 'sync.job.completed']);
    });

    it('counts repeated entries of a record as skipped and reports them', async () => {
      const job = await readJob();
      await fixture.rows.rows('update sync_jobs set records_applied = 5 where id = $1', [job.id]);
      const errors = [{ external_id: '7', message: 'listed more than once by the source' }];
      expect(await endSweep(fixture.database, to(job, { deleted: 0, repeated: 2, errors }))).toBe(true);
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'completed_with_errors',
        records_applied: 3,
        records_failed: 2,
        error_message: '2 records were left out; 7: listed more than once by the source',
      });
      expect(await fixture.recordErrors(job.id)).toMatchObject([{ message: 'listed more than once by the source' }]);
    });

    it('is ignored for a job that is still being read, and finds no job of another tenant', async () => {
      const job = await readJob();
      const foreign = { ...to(job, { deleted: 0 }), tenant_id: await fixture.rows.tenant() };
      await expect(endSweep(fixture.database, foreign)).rejects.toThrow('not visible yet');
      const reading = await fixture.queueAlone();
      await claimJob(fixture.context(listSource(0)), reading);
      expect(await endSweep(fixture.database, to(reading, { deleted: 0 }))).toBe(false);
      expect(await failSweep(fixture.database, to(reading, {}))).toBe(false);
    });

    it('fails the job when the sweep request is dead-lettered', async () => {
      const job = await readJob();
      expect(await failSweep(fixture.database, to(job, {}))).toBe(true);
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'failed',
        error_message: expect.stringMatching(/^the deletion of unlisted records failed/),
      });
    });

    it('is requested again after a timeout', async () => {
      const job = await readJob();
      await takeRequests(job);
      await republishSweeps(fixture.database, 60_000);
      expect(await takeRequests(job)).toBe(0);
      await fixture.rows.rows(`update sync_jobs set sweep_asked_at = now() - interval '1 hour' where id = $1`, [
        job.id,
      ]);
      await republishSweeps(fixture.database, 60_000);
      await republishSweeps(fixture.database, 60_000);
      expect(await takeRequests(job)).toBe(1);
    });
  });

  describe('a quarantined job', () => {
    const quarantined = (job: Job) =>
      quarantine(fixture.database, to(job, { note: 'quarantined: the run would delete 25' }));
    const release = (job: Job, reason = 'they did leave') =>
      releaseJob(fixture.database, to(job, { reason, by: 'eve' }));

    it('waits for an operator with its reason, and is not swept meanwhile', async () => {
      const job = await readJob();
      await takeRequests(job);
      expect(await quarantined(job)).toBe(true);
      expect(await quarantined(job)).toBe(false);
      expect(await row(job)).toMatchObject({ status: 'quarantined', note: 'quarantined: the run would delete 25' });
      expect(await events(job)).toEqual(['sync.job.started', 'sync.job.quarantined']);
      const [{ details } = { details: {} }] = await fixture.rows.rows<{ details: object }>(
        `select details from events where type = 'sync.job.quarantined' and details ->> 'job_id' = $1`,
        [encodeId('job', job.id)],
      );
      expect(details).toMatchObject({
        plan: `/admin/v1/tenants/${encodeId('tenant', job.tenantId)}/sync-jobs/${encodeId('job', job.id)}/plan`,
      });
      await fixture.rows.rows(`update sync_jobs set sweep_asked_at = now() - interval '1 hour' where id = $1`, [
        job.id,
      ]);
      await republishSweeps(fixture.database, 60_000);
      expect(await takeRequests(job)).toBe(0);
    });

    it('is swept again once after its release, and an outdated answer does not quarantine it again', async () => {
      const job = await readJob();
      await takeRequests(job);
      await quarantined(job);
      expect(await release(job)).toBe(true);
      expect(await release(job, 'once more')).toBe(false);
      expect(await takeRequests(job)).toBe(1);
      expect(await quarantined(job)).toBe(false);
      expect(await decision(job)).toMatchObject({ action: 'released', reason: 'they did leave', by: 'eve' });
      expect(await endSweep(fixture.database, to(job, { deleted: 25 }))).toBe(true);
      expect(await row(job)).toMatchObject({ status: 'completed', records_deleted: 25 });
    });

    it('can be cancelled after its release, and stores both decisions', async () => {
      const job = await readJob();
      await quarantine(fixture.database, to(job, { note: 'too many' }));
      await releaseJob(fixture.database, to(job, { reason: 'they did leave', by: 'eve' }));
      expect(await cancelRequestedJob(fixture.database, to(job, { reason: 'oops', by: 'ada' }))).toBe(true);
      expect(await decision(job)).toMatchObject({
        action: 'cancelled',
        reason: 'oops',
        by: 'ada',
        after: { action: 'released', reason: 'they did leave', by: 'eve' },
      });
    });

    it('has no note when it completes after its release', async () => {
      const job = await readJob();
      await quarantine(fixture.database, to(job, { note: 'too many' }));
      await releaseJob(fixture.database, to(job, { reason: 'they did leave', by: 'eve' }));
      await endSweep(fixture.database, to(job, { deleted: 30 }));
      expect(await row(job)).toMatchObject({ status: 'completed', note: null, records_deleted: 30 });
    });

    describe('that is released while another job of its connector runs', () => {
      /** A released job, and the job of its connector that runs. */
      async function releasedBeside(): Promise<{ job: Job & { connectorId: string }; running: Job }> {
        const job = await readJob();
        await quarantined(job);
        const running = await fixture.queue(job.tenantId, job.connectorId);
        const claimed = await claimJob(fixture.context(listSource(0)), running);
        if (!claimed) throw new Error('not claimed');
        await takeRequests(job);
        expect(await release(job)).toBe(true);
        expect(await release(job, 'once more')).toBe(false);
        expect(await takeRequests(job)).toBe(0);
        expect(await row(job)).toMatchObject({ status: 'quarantined' });
        return { job, running };
      }

      it.each<[string, (running: Job) => Promise<unknown>]>([
        ['is cancelled', (running) => cancelRequestedJob(fixture.database, to(running, { reason: 'r', by: 'eve' }))],
        [
          'completes',
          async (running) => {
            await fixture.rows.rows('update sync_jobs set batches_total = 0 where id = $1', [running.id]);
            await endSweep(fixture.database, to(running, { deleted: 0 }));
          },
        ],
      ])('is swept when that job %s', async (_how, end) => {
        const { job, running } = await releasedBeside();
        await end(running);
        expect(await takeRequests(job)).toBe(1);
        expect(await row(job)).toMatchObject({ status: 'running' });
      });

      it('is not swept when a queued job of the connector is cancelled', async () => {
        const { job } = await releasedBeside();
        const queued = await fixture.queue(job.tenantId, job.connectorId);
        await cancelRequestedJob(fixture.database, to(queued, { reason: 'r', by: 'eve' }));
        expect(await takeRequests(job)).toBe(0);
      });

      it('delays no released job of another connector', async () => {
        const { job } = await releasedBeside();
        const connector = await fixture.rows.connector(job.tenantId);
        const released = await fixture.queue(job.tenantId, connector);
        await fixture.rows.rows(
          `update sync_jobs set status = 'quarantined', decision = '{"action":"released"}' where id = $1`,
          [released.id],
        );
        const queued = await fixture.queue(job.tenantId, connector);
        await cancelRequestedJob(fixture.database, to(queued, { reason: 'r', by: 'eve' }));
        expect([await takeRequests(job), await takeRequests(released)]).toEqual([0, 1]);
      });

      it('waits for the end of that job if both are decided at the same moment', async () => {
        const job = await readJob();
        await quarantined(job);
        const running = await fixture.queue(job.tenantId, job.connectorId);
        await claimJob(fixture.context(listSource(0)), running);
        await takeRequests(job);
        await Promise.all([
          release(job),
          cancelRequestedJob(fixture.database, to(running, { reason: 'r', by: 'eve' })),
        ]);
        expect(await takeRequests(job)).toBe(1);
      });
    });

    it('moves back neither the checkpoint nor the health when it completes after a later run', async () => {
      const job = await readJob();
      await quarantined(job);
      const checkpoint = { at: 'later' };
      await fixture.rows.rows(`update sync_jobs set checkpoint = '{"at":"earlier"}' where id = $1`, [job.id]);
      await fixture.rows.rows(
        `insert into connector_states (connector_id, tenant_id, checkpoint, checkpoint_at, config_version, failures, last_job_id)
         values ($1, $2, $3, now() + interval '1 minute', 1, 2, $4)`,
        [job.connectorId, job.tenantId, JSON.stringify(checkpoint), newUuid()],
      );
      await release(job);
      await endSweep(fixture.database, to(job, { deleted: 25 }));
      const [state] = await fixture.rows.rows<{ checkpoint: object; failures: number }>(
        'select checkpoint, failures from connector_states where connector_id = $1',
        [job.connectorId],
      );
      expect(state).toEqual({ checkpoint, failures: 2 });
    });

    it('can be cancelled, and stores the operator and the reason', async () => {
      const job = await readJob();
      await quarantined(job);
      expect(await cancelRequestedJob(fixture.database, to(job, { reason: 'wrong file', by: 'eve' }))).toBe(true);
      expect(await release(job)).toBe(false);
      expect(await decision(job)).toMatchObject({ action: 'cancelled', reason: 'wrong file', by: 'eve' });
      expect(await row(job)).toMatchObject({ status: 'cancelled', records_deleted: 0 });
    });

    it('has applied none of the records that it set aside if it is cancelled', async () => {
      const job = await readJob();
      await quarantined(job);
      await fixture.rows.rows('update sync_jobs set records_read = 9, records_applied = 9 where id = $1', [job.id]);
      await fixture.rows.rows(`insert into sync_plans (job_id, tenant_id, connector_id) values ($1, $2, $3)`, [
        job.id,
        job.tenantId,
        job.connectorId,
      ]);
      await fixture.rows.rows(
        `insert into sync_plan_entries (tenant_id, job_id, seq, action, record_id, kind, external_id, incoming, done, changes)
         select $1, $2, 0, action, gen_random_uuid(), 'user', n, incoming, done, '[]'
           from (values ('1', 'disable', '{}', false), ('2', 'create', '{}', false), ('3', 'update', '{}', true),
                        ('4', 'delete', null, false)) entry (n, action, incoming, done)`,
        [job.tenantId, job.id],
      );
      await cancelRequestedJob(fixture.database, to(job, { reason: 'wrong file' }));
      const [event] = (await fixture.events(job.id)).filter(({ type }) => type === 'sync.job.cancelled');
      expect(event?.details).toMatchObject({ records_read: 9, records_applied: 7 });
    });

    it('cannot be released before it is quarantined', async () => {
      expect(await release(await readJob())).toBe(false);
    });
  });
});
