import type { Connector } from '@idsync/connectors';
import type { Database } from '@idsync/database';
import type { JobSource } from '@idsync/database/sync';
import type { Logger } from '@idsync/runtime';
import type { BatchShares } from './batch-shares.js';

export const defaultSettings = {
  /** Records per page, and so per batch. */
  pageSize: 1_000,
  /** Duration of a lease; a worker renews it after a third. */
  leaseMs: 12_000,
  /** Interval of polls for jobs without a message. */
  pollMs: 2_000,
  /** Jobs that one process runs concurrently. */
  concurrency: 4,
  /**
   * Minimum interval between the starts of two jobs of a connector in one process. Changes that are pushed one by one
   * share a job, which costs as much as tens of changes.
   */
  jobIntervalMs: 200,
  /** Additional single-record jobs that one process runs concurrently. */
  recordConcurrency: 4,
  /** Maximum number of unapplied batches of a job, announced or not; the run waits at this limit. */
  batchesInFlight: 20,
  /** Interval of checks for capacity if the message about an applied batch is lost. */
  capacityPollMs: 500,
  pageTimeoutMs: 10 * 60_000,
  /** Failing records that an incremental run reads again, and how long it may spend on them. */
  retries: 100,
  retryMs: 30_000,
  /** How long a source may be unavailable in the middle of a job: refused and broken connections, restarts, 5xx. */
  outageMs: 5 * 60_000,
  /** First pause between two attempts during an outage; it doubles up to `longestPauseMs`. */
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
  /** Unexpected errors without a page in between, after which the job fails. */
  errorsAllowed: 5,
  /** Claims without a page in between, after which the job fails, because it probably crashes its workers. */
  claimsAllowed: 20,
  /** Time for current pages when the worker stops; unwritten pages are discarded afterwards. */
  stopMs: 5_000,
  /** Additional time for interrupted runs to release their leases. */
  interruptMs: 5_000,
  /** Age of an unapplied batch or unanswered sweep after which its message is republished. */
  unansweredMs: 15 * 60_000,
  schedulePollMs: 2_000,
  housekeepingMs: 5 * 60_000,
  /** Timeout of a test or discovery of a source. */
  probeMs: 20_000,
};

export type SyncSettings = typeof defaultSettings;

/** Dependencies of all parts of the worker. */
export abstract class SyncContext {
  abstract readonly database: Database;
  /** Throws SourceError if the source cannot be opened. */
  abstract readonly openConnector: (source: JobSource) => Connector;
  /** Identifies this process in its leases. */
  abstract readonly owner: string;
  /** The current key, followed by previous ones. */
  abstract readonly encryptionKeys: readonly Buffer[];
  abstract readonly settings: SyncSettings;
  abstract readonly shares: Pick<BatchShares, 'of'>;
  abstract readonly log: Logger;
}
