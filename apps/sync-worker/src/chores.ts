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
const batchSize = 100;

/** Periodic work of the sync-worker. */
export function chores({ database, settings }: SyncContext): Chore[] {
  const { unansweredMs } = settings;
  return [
    { name: 'deleting old jobs', batchSize: jobsAtATime, run: () => deleteOldJobs(database, jobsAtATime) },
    { name: 'deleting old probes', batchSize, run: () => deleteOldProbes(database, batchSize) },
    {
      name: 'deleting remaining batches',
      batchSize,
      run: () => deleteLeftoverBatches(database, unansweredMs, batchSize),
    },
    { name: 'republishing sweeps', batchSize, run: () => republishSweeps(database, unansweredMs) },
    { name: 'republishing batches', batchSize, run: () => republishBatches(database, unansweredMs) },
  ];
}

/** Republishes lost messages of batches and returns their number. A batch that is applied twice changes nothing. */
export async function republishBatches(database: Database, unansweredMs: number): Promise<number> {
  return republishLost(database, 'sync.batch.ready', {
    find: (tx) => findUnansweredBatches(tx, unansweredMs, batchSize),
    take: (tx, found) => takeUnansweredBatches(tx, found, unansweredMs),
    dataOf: ({ jobId, seq }) => ({ job_id: jobId, seq }),
  });
}

/**
 * Republishes sweep requests whose message or answer may be lost and returns their number. A completed sweep is only
 * answered again.
 */
export async function republishSweeps(database: Database, unansweredMs: number): Promise<number> {
  return republishLost(database, 'sync.sweep.requested', {
    ...unansweredSweeps(unansweredMs, batchSize),
    dataOf: ({ id }) => ({ job_id: id }),
  });
}
