import {
  type Database,
  deleteLeftBatches,
  deleteOldJobs,
  enqueue,
  takeUnansweredBatches,
  takeUnansweredSweeps,
} from '@idsync/database';
import type { SyncContext } from './sync-context.js';
import { WakeUp } from './wake-up.js';

/** Rows a transaction: each job goes with a thousand errors at the most. */
const jobsAtATime = 10;
const batchesAtATime = 100;

/** Does what no message asks for, every few minutes and in small portions. */
export class Housekeeping {
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private running: Promise<void> | undefined;

  constructor(private readonly context: SyncContext) {}

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.running;
  }

  private async run(): Promise<void> {
    const { database, settings, log } = this.context;
    while (!this.stopped) {
      try {
        while (!this.stopped && (await forgetOldJobs(database)) === jobsAtATime);
        while (!this.stopped && (await forgetLeftBatches(database, settings.unansweredMs)) === batchesAtATime);
        while (!this.stopped && (await askAgainForSweeps(database, settings.unansweredMs)) === batchesAtATime);
        while (!this.stopped && (await announceAgain(database, settings.unansweredMs)) === batchesAtATime);
      } catch (error) {
        log.warn(`housekeeping put off: ${String(error)}`);
      }
      await this.wakeUp.wait(settings.housekeepingMs);
    }
  }
}

/** Deletes jobs that ended a month ago; returns how many. */
export async function forgetOldJobs(database: Database): Promise<number> {
  return database.transaction(undefined, (tx) => deleteOldJobs(tx, jobsAtATime));
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
