import { execFile } from 'node:child_process';
import { type Message, newUuid } from '@idsync/contracts';
import { testProgram, until } from '@idsync/testing';
import { describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { numbered, SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { applyProgress } from './job-messages.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

const script = testProgram('dying-worker');
const lines = 15;
const fixture = SyncFixture.ofFile();

interface Kill {
  part: 'read' | 'count';
  job?: { id: string; tenantId: string };
  messages?: Message<'sync.batch.applied'>[];
  /** The step at which it is killed; with fewer steps it is not. */
  killAt: number;
}

/** Runs the worker in its own process. Returns its number of steps, or undefined if it was killed. */
function work(kill: Kill): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = JSON.stringify({ url: fixture.url, lines, ...kill });
    execFile(process.execPath, [script, options], { timeout: 60_000 }, (error, stdout, stderr) => {
      if (!error) resolve(Number(stdout));
      else if (error.signal === 'SIGKILL' && !error.killed) resolve(undefined);
      else reject(new Error(`the worker failed before it was killed: ${stderr}`));
    });
  });
}

/** Runs two steps concurrently, because the machine may have only two processors. */
async function forEachStep(steps: number, check: (step: number) => Promise<void>): Promise<void> {
  let next = 1;
  const runSteps = async () => {
    while (next <= steps) {
      const step = next;
      next += 1;
      await check(step);
    }
  };
  await Promise.all([runSteps(), runSteps()]);
}

async function contents(jobId: string): Promise<{ seq: number; records: string[] }[]> {
  const rows = await fixture.rows.rows<{ seq: number; records: string }>(
    'select seq, records from sync_batches where job_id = $1 order by seq',
    [jobId],
  );
  return rows.map(({ seq, records }) => ({
    seq,
    records: (JSON.parse(records) as { external_id: string }[]).map((record) => record.external_id),
  }));
}

async function announcedSeqs(jobId: string): Promise<number[]> {
  const rows = await fixture.rows.rows<{ seq: number }>(
    `select (message::jsonb #>> '{data,seq}')::int as seq from outbox
      where type = 'sync.batch.ready' and message::jsonb #>> '{data,job_id}' = $1 order by 1`,
    [jobId],
  );
  return rows.map((row) => row.seq);
}

/** Takes over the job as another worker would, after PostgreSQL has released the locks of the killed one. */
async function takeOver(job: { id: string; tenantId: string }): Promise<void> {
  const context = fixture.context(listSource(lines));
  await until(async () => {
    await fixture.rows.rows(
      `update sync_jobs set lease_until = now() - interval '1 second' where id = $1 and lease_until is not null`,
      [job.id],
    );
    const claimed = await claimJob(context, job);
    if (claimed) await runJob(context, claimed, new RunControl());
    return (await fixture.job(job.id)).batches_total !== null;
  });
}

/** Waits for the end of the job, because a concurrent step may answer its sweep. */
const swept = (jobId: string) =>
  until(async () => {
    await fixture.sweepAll();
    return (await fixture.job(jobId)).status !== 'running';
  });

const answersTo = (job: { id: string; tenantId: string }): Message<'sync.batch.applied'>[] =>
  [10, 5].map((created, seq) => ({
    id: newUuid(),
    tenant_id: job.tenantId,
    data: { job_id: job.id, seq, created, updated: 0, unchanged: 0, errors: [] },
  }));

const expectedBatches = [
  { seq: 0, records: numbered(0, 10) },
  { seq: 1, records: numbered(10, 15) },
];

describe('a worker killed with SIGKILL', () => {
  it('between any two steps of reading leaves a job that another worker completes without a repeated or lost batch', async () => {
    const steps = await work({ part: 'read', job: await fixture.queueAlone(), killAt: 0 });
    expect(steps).toBeGreaterThan(20);
    await forEachStep(steps ?? 0, async (killAt) => {
      const job = await fixture.queueAlone();
      expect(await work({ part: 'read', job, killAt })).toBeUndefined();
      await takeOver(job);
      expect(await contents(job.id)).toEqual(expectedBatches);
      expect(await announcedSeqs(job.id)).toEqual([0, 1]);
      for (const answer of answersTo(job)) await applyProgress(fixture, answer);
      await swept(job.id);
      expect(await fixture.job(job.id)).toMatchObject({ status: 'completed', records_read: 15, records_applied: 15 });
      const events = (await fixture.events(job.id)).map((event) => event.type);
      expect(events).toEqual(['sync.job.started', 'sync.job.completed']);
    });
  }, 180_000);

  it('between any two steps of counting leaves a job that ends once with every record counted once', async () => {
    const readJob = async () => {
      const job = await fixture.queueAlone();
      await takeOver(job);
      return { job, messages: answersTo(job) };
    };
    const steps = await work({ part: 'count', ...(await readJob()), killAt: 0 });
    await fixture.sweepAll();
    expect(steps).toBeGreaterThan(10);
    await forEachStep(steps ?? 0, async (killAt) => {
      const { job, messages } = await readJob();
      expect(await work({ part: 'count', messages, killAt })).toBeUndefined();
      for (const message of messages) await applyProgress(fixture, message);
      await swept(job.id);
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'completed',
        batches_processed: 2,
        records_applied: 15,
        progress_pct: 100,
      });
      const ends = (await fixture.events(job.id)).filter((event) => event.type === 'sync.job.completed');
      expect(ends).toHaveLength(1);
    });
  }, 180_000);
});
