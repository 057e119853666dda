import type { Connector } from '@idsync/connectors';
import type { Database, JobSource } from '@idsync/database';

export const defaultSettings = {
  /** Records a page, and so a batch. */
  pageSize: 1_000,
  /** How long a worker that died holds on to its jobs; it renews after a third of it. */
  leaseMs: 12_000,
  /** Between two looks for work that no message brought. */
  pollMs: 2_000,
  /** Jobs one process reads at the same time. */
  concurrency: 4,
  /** Beside them, jobs of one record: these wait for no other. */
  recordConcurrency: 4,
  /** Batches of one job that wait for the directory, at the most; then its source waits. */
  batchesInFlight: 20,
  /** Between two looks for room when no message brought the word that a batch was applied. */
  roomPollMs: 500,
  /** A source that is silent for so long has failed. */
  pageTimeoutMs: 10 * 60_000,
  /** Unexpected errors without a page in between, after which the job fails. */
  errorsAllowed: 5,
  /** Claims without a page in between, after which the job fails: its workers die of it. */
  claimsAllowed: 20,
  /** A stopping worker gives the pages in hand so long, then drops them; they were not written. */
  stopMs: 5_000,
  /** And then so long for what was dropped to let go of its leases. */
  letGoMs: 5_000,
  /** A batch that was not applied for so long is announced again: its message may be lost. */
  unansweredMs: 15 * 60_000,
  /** Between two looks for schedules that are due or have changed. */
  schedulePollMs: 2_000,
  housekeepingMs: 5 * 60_000,
  /** What a test or a discovery of a source may take. */
  probeMs: 20_000,
};

export type SyncSettings = typeof defaultSettings;

interface SyncLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const contextToken = Symbol('the context of a sync-worker');

/** What every part of the worker works with. */
export interface SyncContext {
  database: Database;
  /** Throws SourceError where the source cannot be opened at all. */
  openConnector(source: JobSource): Connector;
  /** Names this process in the leases it takes. */
  owner: string;
  settings: SyncSettings;
  log: SyncLogger;
}
