import { encodeId, type MessageData, newUuid } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { cancelRequestedJob } from './cancel-requested-job.js';
import { republishSweeps } from './chores.js';
import { claimJob } from './claim-job.js';
import { endSweep, failSweep } from './end-sweep.js';
import { quarantine, releaseJob } from './quarantine.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

let fixture: SyncFixture;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

afterAll(async () => {
  await fixture?.close();
});

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

  it('is ignored for another tenant and for a job that is still being read', async () => {
    const job = await readJob();
    const foreign = { ...to(job, { deleted: 0 }), tenant_id: await fixture.rows.tenant() };
    expect(await endSweep(fixture.database, foreign)).toBe(false);
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
    await fixture.rows.rows(`update sync_jobs set sweep_asked_at = now() - interval '1 hour' where id = $1`, [job.id]);
    await republishSweeps(fixture.database, 60_000);
    await republishSweeps(fixture.database, 60_000);
    expect(await takeRequests(job)).toBe(1);
  });
});

describe('a quarantined job', () => {
  const quarantined = (job: Job) =>
    quarantine(fixture.database, to(job, { note: 'quarantined: the run would delete 25' }));
  const release = (job: Job, reason = 'they did leave') => releaseJob(fixture.database, to(job, { reason, by: 'eve' }));

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
    await fixture.rows.rows(`update sync_jobs set sweep_asked_at = now() - interval '1 hour' where id = $1`, [job.id]);
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
      await Promise.all([release(job), cancelRequestedJob(fixture.database, to(running, { reason: 'r', by: 'eve' }))]);
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
