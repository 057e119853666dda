import type { Database } from '@idsync/database';
import {
  deleteLeftoverBatches,
  deleteOldJobs,
  deleteOldProbes,
  findUnansweredBatches,
  takeUnansweredBatches,
  unansweredSweeps,
} from '@idsync/database/sync';
import { type Chore, republishLost } from '@idsync/messaging';
import type { SyncContext } from './sync-context.js';

/** Rows per transaction; each job has at most 1000 errors, which are deleted with it. */
const jobsAtATime = 10;
const batchesAtATime = 100;
const probesAtATime = 100;

/** Periodic work of the sync-worker. */
export function chores({ database, settings }: SyncContext): Chore[] {
  const { unansweredMs } = settings;
  return [
    { name: 'deleting old jobs', batchSize: jobsAtATime, run: () => purgeJobs(database) },
    { name: 'deleting old probes', batchSize: probesAtATime, run: () => purgeProbes(database) },
    { name: 'deleting remaining batches', batchSize: batchesAtATime, run: () => purgeBatches(database, unansweredMs) },
    { name: 'republishing sweeps', batchSize: batchesAtATime, run: () => republishSweeps(database, unansweredMs) },
    { name: 'republishing batches', batchSize: batchesAtATime, run: () => republishBatches(database, unansweredMs) },
  ];
}

/** Deletes jobs that ended a month ago and returns their number. */
export async function purgeJobs(database: Database): Promise<number> {
  return deleteOldJobs(database, jobsAtATime);
}

/** Deletes probes older than an hour and returns their number. */
export async function purgeProbes(database: Database): Promise<number> {
  return deleteOldProbes(database, probesAtATime);
}

/** Deletes the remaining batches of cancelled jobs and returns their number. */
export async function purgeBatches(database: Database, unansweredMs: number): Promise<number> {
  return deleteLeftoverBatches(database, unansweredMs, batchesAtATime);
}

/** Republishes lost messages of batches and returns their number. A batch that is applied twice changes nothing. */
export async function republishBatches(database: Database, unansweredMs: number): Promise<number> {
  return republishLost(database, 'sync.batch.ready', {
    find: (tx) => findUnansweredBatches(tx, unansweredMs, batchesAtATime),
    take: (tx, tenantId, found) => takeUnansweredBatches(tx, tenantId, found, unansweredMs),
    dataOf: ({ jobId, seq }) => ({ job_id: jobId, seq }),
  });
}

/**
 * Republishes sweep requests whose message or answer may be lost and returns their number. A completed sweep is only
 * answered again.
 */
export async function republishSweeps(database: Database, unansweredMs: number): Promise<number> {
  return republishLost(database, 'sync.sweep.requested', {
    ...unansweredSweeps(unansweredMs, batchesAtATime),
    dataOf: ({ id }) => ({ job_id: id }),
  });
}
