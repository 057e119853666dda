import type { Connector } from '@idsync/connectors';
import { Database } from '@idsync/database';
import {
  findClaimableJobs,
  findClaimableRecordJobs,
  findDueConnectors,
  findOldestCompleteRead,
  lockLeasedJob,
} from '@idsync/database/sync';
import { until } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ListSourceOptions, listSource } from '../test/list-source.js';
import { numbered, SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { cancelRequestedJob } from './job-messages.js';
import { JobScheduler } from './job-scheduler.service.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import { createDueJobs } from './scheduled-runs.js';
import type { SyncSettings } from './sync-context.js';

const fixture = SyncFixture.ofFile();
const schedulers: JobScheduler[] = [];

beforeEach(() => {
  fixture.applied.length = 0;
});

afterEach(async () => {
  await Promise.all(schedulers.splice(0).map((scheduler) => scheduler.stop()));
  // Removes jobs that the next test would claim.
  await fixture.rows.rows('delete from sync_jobs');
  await fixture.announced();
});

describe('a schedule', () => {
  interface Planned {
    due_at: Date | null;
    next_run_at: Date | null;
    skipped_because: string | null;
  }

  const poll = (database = fixture.database) =>
    createDueJobs({ ...fixture.context(listSource(0)), database }, () => undefined);
  const setSchedule = (connector: string, schedule: object | null) =>
    fixture.rows.rows('update connectors set schedule = $2 where id = $1', [
      connector,
      schedule && JSON.stringify(schedule),
    ]);
  const jobs = (connector: string) =>
    fixture.rows.rows<{ id: string; status: string; scheduled_for: Date }>(
      'select id, status, scheduled_for from sync_jobs where connector_id = $1 order by id',
      [connector],
    );
  /** Moves the planned times into the past by this interval. */
  const advance = (connector: string, time: string) =>
    fixture.rows.rows(
      `with forgotten as (update sync_jobs set scheduled_for = null where connector_id = $1)
       update connector_states
          set due_at = due_at - $2::interval, complete_as_of = complete_as_of - $2::interval, next_run_at = next_run_at - $2::interval, last_due_at = last_due_at - $2::interval
        where connector_id = $1`,
      [connector, time],
    );

  async function planned(connector: string): Promise<Planned> {
    const [row] = await fixture.rows.rows<Planned>(
      'select due_at, next_run_at, skipped_because from connector_states where connector_id = $1',
      [connector],
    );
    if (!row) throw new Error('nothing is planned');
    return row;
  }

  async function connectorWith(schedule: object): Promise<{ tenant: string; connector: string }> {
    const tenant = await fixture.rows.tenant();
    const connector = await fixture.rows.connector(tenant);
    await setSchedule(connector, schedule);
    return { tenant, connector };
  }

  const minutesAhead = (time: Date | null) => ((time?.getTime() ?? 0) - Date.now()) / 60_000;

  it('is planned at the next poll, creates a job at its due time, and is planned again', async () => {
    const { connector } = await connectorWith({ every: '15m', jitter: '0s' });
    await poll();
    const { due_at, next_run_at } = await planned(connector);
    expect(next_run_at).toEqual(due_at);
    expect(minutesAhead(due_at)).toBeCloseTo(15, 0);
    await poll();
    expect(await jobs(connector)).toEqual([]);
    await advance(connector, '15 minutes');
    const due = (await planned(connector)).due_at;
    await poll();
    expect(await jobs(connector)).toMatchObject([{ status: 'queued', scheduled_for: due }]);
    expect((await planned(connector)).due_at).toEqual(new Date((due?.getTime() ?? 0) + 15 * 60_000));
  });

  it('creates one job for all runs missed during a downtime', async () => {
    const { connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    await advance(connector, '3 days');
    for (let again = 0; again < 3; again += 1) await poll();
    expect(await jobs(connector)).toHaveLength(1);
    expect(minutesAhead((await planned(connector)).due_at)).toBeGreaterThan(0);
  });

  it('skips a run while another job of the connector is unfinished, and stores the reason', async () => {
    const { tenant, connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    const { id } = await fixture.queue(tenant, connector);
    for (const status of ['queued', 'running']) {
      await fixture.rows.rows('update sync_jobs set status = $2 where id = $1', [id, status]);
      await advance(connector, '5 minutes');
      await poll();
      expect(await jobs(connector)).toHaveLength(1);
      expect(await planned(connector)).toMatchObject({ skipped_because: `another job of the connector was ${status}` });
      expect(minutesAhead((await planned(connector)).due_at)).toBeGreaterThan(0);
    }
  });

  it('creates a run while another job of the connector is quarantined', async () => {
    const { tenant, connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    const { id } = await fixture.queue(tenant, connector);
    await fixture.rows.rows(`update sync_jobs set status = 'quarantined' where id = $1`, [id]);
    await advance(connector, '5 minutes');
    await poll();
    expect(await jobs(connector)).toHaveLength(2);
  });

  it('is planned from its last run when it is changed', async () => {
    const { connector } = await connectorWith({ every: '6h', jitter: '0s' });
    await poll();
    await advance(connector, '6 hours');
    await poll();
    await setSchedule(connector, { every: '10m', jitter: '0s' });
    await poll();
    expect(minutesAhead((await planned(connector)).due_at)).toBeCloseTo(10, 0);
    await setSchedule(connector, { every: '10m', jitter: '0s', paused: true });
    await poll();
    expect(await planned(connector)).toMatchObject({ due_at: null, next_run_at: null });
    await setSchedule(connector, null);
    await advance(connector, '1 day');
    expect(await poll()).toBe(0);
    expect(await jobs(connector)).toHaveLength(1);
  });

  it('is not planned again if it is invalid, and does not block other schedules', async () => {
    const broken = await connectorWith({ hourly: true });
    const lost = await connectorWith({ cron: '0 3 * * *', time_zone: 'Atlantis/Poseidonis' });
    const sound = await connectorWith({ cron: '0 3 * * *' });
    await poll();
    expect(await planned(broken.connector)).toMatchObject({ next_run_at: null });
    expect(await planned(lost.connector)).toMatchObject({ next_run_at: null });
    expect((await planned(sound.connector)).next_run_at).not.toBeNull();
    expect(await poll()).toBe(0);
  });

  it('of a deleted connector is ignored', async () => {
    const { connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    await advance(connector, '5 minutes');
    await fixture.rows.rows('update connectors set deleted_at = now() where id = $1', [connector]);
    await poll();
    expect(await jobs(connector)).toEqual([]);
    expect(await planned(connector)).toMatchObject({ due_at: null, next_run_at: null });
  });

  it('creates one job per due time when several workers poll concurrently', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(() => Database.connect({ url: fixture.url, service: 'sync-worker', poolSize: 2 })),
    );
    const connectors = await Promise.all(
      Array.from({ length: 20 }, () => connectorWith({ every: '5m', jitter: '0s' })),
    );
    await poll();
    for (const { connector } of connectors) await advance(connector, '5 minutes');
    await Promise.all([fixture.database, ...others].flatMap((database) => [poll(database), poll(database)]));
    await Promise.all(others.map((database) => database.close()));
    for (const { connector } of connectors) {
      const [job, ...more] = await jobs(connector);
      expect(job?.status).toBe('queued');
      expect(more).toEqual([]);
      await fixture.rows.rows(`update sync_jobs set status = 'completed', completed_at = now() where id = $1`, [
        job?.id,
      ]);
    }
  });

  const source: Connector = {
    reportsChanges: true,
    async *read() {
      yield { records: [], errors: [], cursor: { at: 1 }, last: true, checkpoint: { at: 1 } };
    },
  };

  /** Runs a schedule at each of its due times. Returns the mode of the job. */
  async function runDue({ tenant, connector }: { tenant: string; connector: string }, time: string, note?: string) {
    await advance(connector, time);
    await poll();
    const [job] = (await jobs(connector)).slice(-1);
    const claimed = job && (await claimJob(fixture.context(source), { id: job.id, tenantId: tenant }));
    if (!claimed) throw new Error('not claimed');
    await runJob(fixture.context(source), claimed, new RunControl());
    await fixture.sweepAll(note);
    const [row] = await fixture.rows.rows<{ mode: string }>('select mode from sync_jobs where id = $1', [job.id]);
    return row?.mode ?? '';
  }

  async function modesOf(schedule: object, time: string): Promise<string> {
    const own = await connectorWith(schedule);
    await poll();
    const modes: string[] = [];
    for (let run = 0; run < 7; run += 1) modes.push(await runDue(own, time));
    return modes.map((mode) => mode.at(0)).join('');
  }

  it('makes every nth run a full run', async () => {
    expect(await modesOf({ every: '5m', jitter: '0s', full_every: 3 }, '5 minutes')).toBe('fccfccf');
  });

  it('makes a run a full run before the last complete one is older than a day or full_every_hours', async () => {
    expect(await modesOf({ every: '1d', jitter: '0s' }, '1 day')).toBe('fffffff');
    expect(await modesOf({ every: '12h', jitter: '0s' }, '12 hours')).toBe('fcfcfcf');
    expect(await modesOf({ every: '1d', jitter: '0s', full_every_hours: 72 }, '1 day')).toBe('fccfccf');
  });

  it('counts only runs that are proved complete as complete', async () => {
    const own = await connectorWith({ every: '5m', jitter: '0s' });
    const completeAsOf = async () => {
      const [row] = await fixture.rows.rows<{ at: Date | null; started_at: Date }>(
        `select s.complete_as_of as at, j.started_at from connector_states s
           join sync_jobs j on j.connector_id = s.connector_id where s.connector_id = $1 order by j.id desc limit 1`,
        [own.connector],
      );
      return row;
    };
    await poll();
    expect(await runDue(own, '5 minutes', 'nothing was deleted')).toBe('full');
    expect((await completeAsOf())?.at).toBeNull();
    expect(await runDue(own, '5 minutes')).toBe('full');
    const complete = await completeAsOf();
    expect(complete?.at).toEqual(complete?.started_at);
    expect(await runDue(own, '5 minutes')).toBe('changes');
    expect((await completeAsOf())?.at).not.toEqual((await completeAsOf())?.started_at);
  });

  it('is measured by the oldest complete read of all active schedules', async () => {
    const oldest = async () => (await fixture.database.acrossTenants(findOldestCompleteRead)) / 86_400;
    const before = await oldest();
    const own = await connectorWith({ every: '1d', jitter: '0s' });
    await poll();
    await runDue(own, '1 day');
    expect(await oldest()).toBeCloseTo(before, 2);
    await advance(own.connector, '400 days');
    expect(await oldest()).toBeCloseTo(400, 2);
    await setSchedule(own.connector, { every: '1d', jitter: '0s', paused: true });
    expect(await oldest()).toBeCloseTo(before, 2);
  });
});

describe('a suspended tenant', () => {
  const suspend = (tenantId: string, at: string | null = '2026-11-23') =>
    fixture.rows.rows('update tenants set suspended_at = $2 where id = $1', [tenantId, at]);

  const claimable = async () => (await findClaimableJobs(fixture.database, 1_000)).map(({ id }) => id);

  it('begins no job until it is resumed', async () => {
    const job = await fixture.queueAlone();
    await suspend(job.tenantId);
    expect(await claimable()).not.toContain(job.id);
    await suspend(job.tenantId, null);
    expect(await claimable()).toContain(job.id);
  });

  it('begins no job of one record until it is resumed', async () => {
    const job = await fixture.queueAlone();
    await fixture.rows.rows(`update sync_jobs set mode = 'record', external_id = '7' where id = $1`, [job.id]);
    const found = async () => (await findClaimableRecordJobs(fixture.database, 1_000)).map(({ id }) => id);
    await suspend(job.tenantId);
    expect(await found()).not.toContain(job.id);
    await suspend(job.tenantId, null);
    expect(await found()).toContain(job.id);
  });

  it('plans no scheduled run until it is resumed', async () => {
    const { tenantId, connectorId } = await fixture.queueAlone();
    await fixture.rows.rows(
      `insert into connector_states (connector_id, tenant_id, due_at, next_run_at) values ($1, $2, now(), now())`,
      [connectorId, tenantId],
    );
    const due = async () =>
      (await fixture.database.acrossTenants((tx) => findDueConnectors(tx, 1_000))).map(({ id }) => id);
    await suspend(tenantId);
    expect(await due()).not.toContain(connectorId);
    await suspend(tenantId, null);
    expect(await due()).toContain(connectorId);
  });

  it('stops a running job, which continues after its last page when the tenant is resumed', async () => {
    const job = await fixture.queueAlone();
    const context = fixture.context(listSource(25));
    const claimed = await claimJob(context, job);
    if (!claimed) throw new Error('not claimed');
    const lease = { jobId: job.id, tenantId: job.tenantId, token: claimed.leaseToken };
    await suspend(job.tenantId);
    const held = () => fixture.database.transaction(job.tenantId, (tx) => lockLeasedJob(tx, lease));
    expect(await held()).toBeUndefined();
    await runJob(context, claimed, new RunControl());
    expect(await fixture.job(job.id)).toMatchObject({ status: 'running', records_read: 0 });
    await fixture.expireLease(job.id);
    expect(await claimable()).not.toContain(job.id);
    await suspend(job.tenantId, null);
    expect(await claimable()).toContain(job.id);
    const again = await claimJob(context, job);
    if (!again) throw new Error('not claimed');
    await runJob(context, again, new RunControl());
    await fixture.applyAll();
    expect(await fixture.job(job.id)).toMatchObject({ status: 'completed', records_read: 25 });
  });
});

describe('the job scheduler', () => {
  function startScheduler(source: Connector, settings: Partial<SyncSettings> = {}): JobScheduler {
    const scheduler = new JobScheduler(
      fixture.context(source, { pollMs: 50, capacityPollMs: 50, stopMs: 50, ...settings }),
    );
    scheduler.start();
    schedulers.push(scheduler);
    return scheduler;
  }

  const status = async (id: string) => (await fixture.job(id)).status;

  /** Applies announced batches and returns true when the job is completed. */
  const completed = async (id: string) => {
    await fixture.applyAll();
    return (await status(id)) === 'completed';
  };

  const runningJobs = async () =>
    (await fixture.rows.rows(`select from sync_jobs where status = 'running' and lease_owner is not null`)).length;

  /** A source that pauses before the given line until the gate is opened. */
  function gatedSource(lines: number, gatedLine: number, options: ListSourceOptions = {}) {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let waiting = 0;
    const beforePage = async (line: number) => {
      if (line !== gatedLine) return;
      waiting += 1;
      await gate;
    };
    return { source: listSource(lines, { ...options, beforePage }), open: () => open(), waiting: () => waiting };
  }

  it('finds a queued job whose message was lost', async () => {
    startScheduler(listSource(15));
    const job = await fixture.queueAlone();
    await until(async () => (await fixture.applyAll()) >= 0 && (await status(job.id)) === 'completed');
    expect(fixture.applied).toEqual(numbered(0, 15));
  });

  it('starts the next job of a connector after a pause, and jobs of other connectors at once', async () => {
    startScheduler(listSource(0), { jobIntervalMs: 3_600_000 });
    const first = await fixture.queueAlone();
    await until(() => completed(first.id));
    const next = await fixture.queue(first.tenantId, first.connectorId);
    const other = await fixture.queueAlone();
    await until(() => completed(other.id));
    expect(await status(next.id)).toBe('queued');
  });

  it('starts a delayed job when the pause ends, without a poll', async () => {
    const scheduler = startScheduler(listSource(0), { jobIntervalMs: 300, pollMs: 600_000 });
    const first = await fixture.queueAlone();
    scheduler.wake();
    await until(() => completed(first.id));
    const next = await fixture.queue(first.tenantId, first.connectorId);
    scheduler.wake();
    await until(() => completed(next.id));
    expect(await status(next.id)).toBe('completed');
  });

  it('polls immediately when it is woken up', async () => {
    const scheduler = startScheduler(listSource(0), { pollMs: 600_000 });
    const job = await fixture.queueAlone();
    scheduler.wake();
    await until(() => completed(job.id));
    expect(await status(job.id)).toBe('completed');
  });

  it('runs one job of a connector at a time, and the queued one afterwards', async () => {
    const { source, open, waiting } = gatedSource(5, 0);
    const scheduler = startScheduler(source);
    const first = await fixture.queueAlone();
    await until(() => waiting() === 1);
    const second = await fixture.queue(first.tenantId, first.connectorId);
    scheduler.wake();
    const other = await fixture.queueAlone();
    await until(async () => (await status(other.id)) === 'running');
    expect([await status(first.id), await status(second.id)]).toEqual(['running', 'queued']);
    open();
    await until(async () => {
      await fixture.applyAll();
      return (await status(second.id)) === 'completed';
    });
    const [ended, began] = [await fixture.job(first.id), await fixture.job(second.id)];
    expect(Number(began.started_at)).toBeGreaterThanOrEqual(Number(ended.completed_at));
  });

  it('runs at most the configured number of jobs, and claims the next one when a job has ended', async () => {
    const { source, open, waiting } = gatedSource(0, 0);
    startScheduler(source, { concurrency: 2 });
    const jobs = await Promise.all([1, 2, 3, 4].map(() => fixture.queueAlone()));
    await until(() => waiting() === 2);
    expect(await runningJobs()).toBe(2);
    open();
    await until(async () => {
      expect(await runningJobs()).toBeLessThanOrEqual(2);
      await fixture.applyAll();
      return (await Promise.all(jobs.map((job) => status(job.id)))).every((each) => each === 'completed');
    });
  });

  it('shares jobs with other workers without running one twice', async () => {
    const workers = [1, 2, 3].map(() => startScheduler(listSource(15)));
    const jobs = await Promise.all(Array.from({ length: 12 }, () => fixture.queueAlone()));
    for (const worker of workers) worker.wake();
    await until(async () => {
      await fixture.applyAll();
      return (await Promise.all(jobs.map((job) => status(job.id)))).every((each) => each === 'completed');
    });
    expect(fixture.applied).toHaveLength(12 * 15);
    expect((await Promise.all(jobs.map((job) => fixture.job(job.id)))).map((job) => job.lease_token)).toEqual(
      jobs.map(() => 1),
    );
  });

  it('claims other jobs when claiming one fails', async () => {
    const broken = await fixture.queueAlone();
    await fixture.rows.rows('delete from event_sequences where tenant_id = $1', [broken.tenantId]);
    const job = await fixture.queueAlone();
    startScheduler(listSource(0));
    await until(() => completed(job.id));
    expect(await status(broken.id)).toBe('queued');
  });

  it('interrupts the run of a cancelled job immediately, and claims the next job', async () => {
    const { source, waiting } = gatedSource(30, 10);
    const scheduler = startScheduler(source, { concurrency: 1 });
    const job = await fixture.queueAlone();
    await until(() => waiting() === 1);
    await cancelRequestedJob(fixture.database, { id: job.id, tenant_id: job.tenantId, data: { job_id: job.id } });
    scheduler.jobEnded(job.id);
    const next = await fixture.queueAlone();
    scheduler.wake();
    await until(() => waiting() === 2);
    expect([await status(job.id), await status(next.id)]).toEqual(['cancelled', 'running']);
  });

  it('interrupts the run at the lease renewal when another process has cancelled the job', async () => {
    const { source, waiting } = gatedSource(30, 10);
    startScheduler(source, { concurrency: 1, leaseMs: 1_500 });
    const job = await fixture.queueAlone();
    await until(() => waiting() === 1);
    await cancelRequestedJob(fixture.database, { id: job.id, tenant_id: job.tenantId, data: { job_id: job.id } });
    await fixture.queueAlone();
    await until(() => waiting() === 2);
    expect(await fixture.job(job.id)).toMatchObject({ status: 'cancelled', batches_written: 1 });
  });

  it('finishes the current page on shutdown and releases the job for another worker', async () => {
    const { source, open, waiting } = gatedSource(30, 10);
    const scheduler = startScheduler(source, { stopMs: 20_000 });
    const job = await fixture.queueAlone();
    await until(() => waiting() === 1);
    const stopped = scheduler.stop();
    open();
    await stopped;
    const left = await fixture.job(job.id);
    expect(left).toMatchObject({ status: 'running', batches_written: 2, lease_owner: null, attempts: 0 });
    expect(Number(left.lease_until)).toBeLessThanOrEqual(Date.now());

    startScheduler(listSource(30));
    await until(async () => {
      await fixture.applyAll();
      return (await status(job.id)) === 'completed';
    });
    expect(fixture.applied).toEqual(numbered(0, 30));
  });

  it('interrupts a page that does not arrive in time on shutdown', async () => {
    const { source, waiting } = gatedSource(30, 10);
    const scheduler = startScheduler(source);
    const job = await fixture.queueAlone();
    await until(() => waiting() === 1);
    await scheduler.stop();
    expect(await fixture.job(job.id)).toMatchObject({ batches_written: 1, lease_owner: null });
  });

  it('throws if a lease cannot be released on shutdown, and lets it expire', async () => {
    const { source, waiting } = gatedSource(30, 10);
    const scheduler = startScheduler(source, { interruptMs: 50 });
    const job = await fixture.queueAlone();
    await until(() => waiting() === 1);
    await fixture.database.transaction(job.tenantId, async (tx) => {
      await tx.query('select from sync_jobs where id = $1 for update', [job.id]);
      await expect(scheduler.stop()).rejects.toThrow('jobs that did not stop within 0.1 s: 1');
    });
    await until(async () => (await fixture.job(job.id)).lease_owner === null);
  });

  it('claims nothing once it has stopped', async () => {
    const scheduler = startScheduler(listSource(0));
    await scheduler.stop();
    const job = await fixture.queueAlone();
    scheduler.wake();
    const witness = await fixture.queueAlone();
    startScheduler(listSource(0), { concurrency: 1 });
    await until(() => completed(witness.id));
    expect((await fixture.job(job.id)).lease_token).toBe(1);
  });
});
