import {
  type Database,
  deleteLeftBatches,
  deleteOldJobs,
  deleteOldProbes,
  enqueue,
  takeUnansweredBatches,
  takeUnansweredSweeps,
} from '@idsync/database';
import type { Chore } from '@idsync/messaging';
import type { SyncContext } from './sync-context.js';

/** Rows a transaction: each job goes with a thousand errors at the most. */
const jobsAtATime = 10;
const batchesAtATime = 100;
const probesAtATime = 100;

/** What the sync-worker does that no message asks for. */
export function chores({ database, settings }: SyncContext): Chore[] {
  const { unansweredMs } = settings;
  return [
    { name: 'forgetting old jobs', portion: jobsAtATime, run: () => forgetOldJobs(database) },
    { name: 'forgetting old probes', portion: probesAtATime, run: () => forgetOldProbes(database) },
    { name: 'forgetting left batches', portion: batchesAtATime, run: () => forgetLeftBatches(database, unansweredMs) },
    { name: 'asking again for sweeps', portion: batchesAtATime, run: () => askAgainForSweeps(database, unansweredMs) },
    { name: 'announcing batches again', portion: batchesAtATime, run: () => announceAgain(database, unansweredMs) },
  ];
}

/** Deletes jobs that ended a month ago; returns how many. */
export async function forgetOldJobs(database: Database): Promise<number> {
  return database.transaction(undefined, (tx) => deleteOldJobs(tx, jobsAtATime));
}

/** Deletes what was asked of connectors more than an hour ago; returns how many. */
export async function forgetOldProbes(database: Database): Promise<number> {
  return database.transaction(undefined, (tx) => deleteOldProbes(tx, probesAtATime));
}

/** Deletes the batches that a cancelled job left; returns how many. */
export async function forgetLeftBatches(database: Database, unansweredMs: number): Promise<number> {
  return database.transaction(undefined, (tx) => deleteLeftBatches(tx, unansweredMs, batchesAtATime));
}

/**
 * Announces batches again whose message may be lost, as when a broker lost its data; returns how many. The directory
 * passes over a batch that is applied, and a batch applied twice changes nothing.
 */
export async function announceAgain(database: Database, unansweredMs: number): Promise<number> {
  return database.transaction(undefined, async (tx) => {
    const batches = await takeUnansweredBatches(tx, unansweredMs, batchesAtATime);
    for (const { jobId, seq, tenantId } of batches) {
      await enqueue(tx, { type: 'sync.batch.ready', tenantId, data: { job_id: jobId, seq } });
    }
    return batches.length;
  });
}

/** Asks again for sweeps whose message or answer may be lost; returns how many. What is done is only answered again. */
export async function askAgainForSweeps(database: Database, unansweredMs: number): Promise<number> {
  return database.transaction(undefined, async (tx) => {
    const jobs = await takeUnansweredSweeps(tx, unansweredMs, batchesAtATime);
    for (const { jobId, tenantId } of jobs) {
      await enqueue(tx, { type: 'sync.sweep.requested', tenantId, data: { job_id: jobId } });
    }
    return jobs.length;
  });
}
