import { describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { numbered, SyncFixture } from '../test/sync-fixture.js';
import { chores, republishBatches } from './chores.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

const fixture = SyncFixture.ofFile();

async function readJob(lines: number, badLines: number[] = []): Promise<{ id: string }> {
  const job = await fixture.queueAlone();
  const context = fixture.context(listSource(lines, { badLines }));
  const claimed = await claimJob(context, job);
  if (!claimed) throw new Error('not claimed');
  await runJob(context, claimed, new RunControl());
  return job;
}

async function deleteOldJobs(): Promise<number | undefined> {
  return chores(fixture.context(listSource(1)))
    .find(({ name }) => name === 'deleting old jobs')
    ?.run();
}

describe('the housekeeping of the sync worker', () => {
  it('deletes jobs that ended a month ago, with their errors, ten at a time', async () => {
    const old = await Promise.all(Array.from({ length: 12 }, () => readJob(1, [0])));
    const recent = await readJob(1, [0]);
    await fixture.sweepAll();
    await fixture.rows.rows(`update sync_jobs set completed_at = now() - interval '31 days' where id = any($1)`, [
      old.map((job) => job.id),
    ]);
    expect([await deleteOldJobs(), await deleteOldJobs()]).toEqual([10, 2]);
    expect(await deleteOldJobs()).toBe(0);
    expect(await fixture.recordErrors(old[0]?.id ?? '')).toEqual([]);
    expect(await fixture.recordErrors(recent.id)).toHaveLength(1);
  });

  it('republishes a batch without an answer, so that a lost message does not block a job', async () => {
    const job = await readJob(20);
    await fixture.announced();
    expect(await republishBatches(fixture.database, 60_000)).toBe(0);
    await fixture.rows.rows(`update sync_batches set announced_at = now() - interval '2 minutes' where seq = 1`);
    expect(await republishBatches(fixture.database, 60_000)).toBe(1);
    expect(await republishBatches(fixture.database, 60_000)).toBe(0);
    await fixture.applyAll();
    expect(fixture.applied).toEqual(numbered(10, 20));
    expect(await fixture.job(job.id)).toMatchObject({ batches_processed: 1, status: 'running' });
  });
});
