import type { JobMode, JobStatus, RecordOutcome, SourceErrorCode } from '@idsync/contracts';
import { bigint, boolean, entity, integer, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

/** A position in a source, in the format of its connector. */
export type SourcePlace = Readonly<Record<string, string | number | boolean>>;

export const SyncJobEntity = entity('sync_jobs', {
  ...ofTenant,
  id: uuid({ primary: true }),
  connectorId: uuid(),
  status: text<JobStatus>({ default: 'queued' }),
  keyed: boolean({ default: false }),
  createdAt: timestamptz({ createDate: true }),
  startedAt: timestamptz({ nullable: true }),
  completedAt: timestamptz({ nullable: true }),
  errorMessage: text({ nullable: true }),
  /** Error code of the source; null for other errors. */
  errorCode: text<SourceErrorCode>({ nullable: true }),
  /** Error text of the source, redacted; only operators see it. */
  sourceMessage: text({ nullable: true }),
  cancelReason: text({ nullable: true }),
  /** Current position in the source; null at its beginning. */
  cursor: jsonb<SourcePlace>({ nullable: true }),
  progressPct: integer({ default: 0 }),
  recordsRead: bigint({ default: 0 }),
  /** Estimated number of records in the source; null if unknown. */
  recordsExpected: bigint({ nullable: true }),
  recordsApplied: bigint({ default: 0 }),
  recordsFailed: bigint({ default: 0 }),
  /** Fields with unusable values, and entries that a later one replaces; their records were applied. */
  fieldsLeftOut: bigint({ default: 0 }),
  /** Records among those read that an incremental run only retried, because they had failed before. */
  recordsRetried: bigint({ default: 0 }),
  /** Records of erased people that the source listed again; not among those read. */
  recordsSuppressed: bigint({ default: 0 }),
  batchesWritten: integer({ default: 0 }),
  /** Those that the directory knows of; the others wait for the share of the job. */
  batchesAnnounced: integer({ default: 0 }),
  batchesProcessed: integer({ default: 0 }),
  /** Null until the source was read completely or failed. */
  batchesTotal: integer({ nullable: true }),
  /** Claims since the job last made progress. */
  attempts: integer({ default: 0 }),
  leaseToken: bigint({ default: 0 }),
  leaseOwner: text({ nullable: true }),
  leaseUntil: timestamptz({ nullable: true }),
  dryRun: boolean({ default: false }),
  /** True if the job reads nothing and deletes all records of a deleted connector. */
  retires: boolean({ default: false }),
  recordsDeleted: bigint({ default: 0 }),
  note: text({ nullable: true }),
  /** An operator's decision on a job that could not continue by itself. */
  decision: jsonb<{ action: string; reason?: string; by?: string; at: string }>({ nullable: true }),
  sweepAskedAt: timestamptz({ nullable: true }),
  /** `auto` until a worker begins to read. */
  mode: text<JobMode>({ default: 'auto' }),
  /** The checkpoint from which changes are read. */
  since: jsonb<SourcePlace>({ nullable: true }),
  /** Version of the connector's config when the job began to read. */
  configVersion: integer({ nullable: true }),
  whyFull: text({ nullable: true }),
  /** Start position of the next incremental run, once this job has completed. */
  checkpoint: jsonb<SourcePlace>({ nullable: true }),
  /** Due time, if a schedule created the job. */
  scheduledFor: timestamptz({ nullable: true }),
  /** When the source last returned a page. */
  lastRecordAt: timestamptz({ nullable: true }),
  /** The record that a record job reads. */
  externalId: text({ nullable: true }),
  /** Result of a record job. */
  outcome: text<RecordOutcome>({ nullable: true }),
  /** Trace context of the request that triggered the job. */
  traceparent: text({ nullable: true }),
});
export type SyncJobEntity = RowOf<typeof SyncJobEntity>;

export const ConnectorStateEntity = entity('connector_states', {
  ...ofTenant,
  connectorId: uuid({ primary: true }),
  checkpoint: jsonb<SourcePlace>({ nullable: true }),
  /** Start of the run that stored the checkpoint. */
  checkpointAt: timestamptz({ nullable: true }),
  /** Version of the config with which the checkpoint was read. */
  configVersion: integer({ nullable: true }),
  /** Incremental runs that completed since the last full run. */
  runsSinceFull: integer({ default: 0 }),
  /** Start of the last run that read the whole source; null if there was none. */
  completeAsOf: timestamptz({ nullable: true }),
  /**
   * Due time of the next run, without jitter. Null if there is none, or if it must be planned again at `next_run_at`.
   */
  dueAt: timestamptz({ nullable: true }),
  nextRunAt: timestamptz({ nullable: true }),
  lastDueAt: timestamptz({ nullable: true }),
  skippedAt: timestamptz({ nullable: true }),
  skippedBecause: text({ nullable: true }),
  /** The last job that ended and was not a dry run. */
  lastJobId: uuid({ nullable: true }),
  /** Number of consecutive failed jobs. */
  failures: integer({ default: 0 }),
  lastFailedAt: timestamptz({ nullable: true }),
});
export type ConnectorStateEntity = RowOf<typeof ConnectorStateEntity>;

/**
 * State of batches that stopped a process, or may have: the part in progress, the parts of the batch, and the records
 * that are left out.
 */
export const BatchBegunEntity = entity('batches_begun', {
  ...ofTenant,
  jobId: uuid({ primary: true }),
  seq: integer({ primary: true }),
  /** The process that began the part. */
  processId: uuid({ nullable: true }),
  /** The part in progress: the position of its first record in the batch, and the position after its last. */
  first: integer({ nullable: true }),
  beyond: integer({ nullable: true }),
  /** How often a process stopped while it applied that part. */
  stops: integer({ default: 0 }),
  /** Positions at which parts begin, except the first. */
  cuts: integer<number[]>({ array: true, default: () => "'{}'" }),
  /** Positions of records that are left out. */
  leftOut: integer<number[]>({ array: true, default: () => "'{}'" }),
});
export type BatchBegunEntity = RowOf<typeof BatchBegunEntity>;
