import type { Connector } from '@idsync/connectors';
import { until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ListSourceOptions, listSource } from '../test/list-source.js';
import { numbered, SyncFixture } from '../test/sync-fixture.js';
import { cancelRequestedJob } from './cancel-requested-job.js';
import { JobScheduler } from './job-scheduler.service.js';
import type { SyncSettings } from './sync-context.js';

let fixture: SyncFixture;
const schedulers: JobScheduler[] = [];

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

beforeEach(() => {
  fixture.applied.length = 0;
});

afterEach(async () => {
  await Promise.all(schedulers.splice(0).map((scheduler) => scheduler.stop()));
  // Removes jobs that the next test would claim.
  await fixture.rows.rows('delete from sync_jobs');
  await fixture.announced();
});

afterAll(async () => {
  await fixture?.close();
});

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

describe('the job scheduler', () => {
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
