import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { DirectoryFixture } from '@idsync/testing';
import { sweepJob } from '../src/sweep/sweep-job.js';

/** Applies what the batches of a job have planned, as the sweep of an incremental run: nothing counts as missing. */
export async function applyPlanned(
  { database, fixture, tenant }: { database: Database; fixture: DirectoryFixture; tenant: string },
  job: string,
  now?: Date,
): Promise<void> {
  const [planned] = await fixture.rows<{ status: string; mode: string }>(
    'select j.status, j.mode from sync_jobs j join sync_plans p on p.job_id = j.id where j.id = $1',
    [job],
  );
  if (!planned) return;
  const set = (status: string, mode: string) =>
    fixture.rows('update sync_jobs set status = $2, mode = $3 where id = $1', [job, status, mode]);
  await set('running', 'changes');
  // The sync-worker would have counted the records; a run of an empty source is quarantined.
  await fixture.rows('update sync_jobs set records_read = greatest(records_read, 1) where id = $1', [job]);
  await sweepJob(database, { id: newUuid(), tenant_id: tenant, data: { job_id: job } }, now);
  await set(planned.status, planned.mode);
}
