import type { JobMode, JobStatus, RecordOutcome, SourceErrorCode } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** A position in a source, in the format of its connector. */
export type SourcePlace = Readonly<Record<string, string | number | boolean>>;

@Entity('sync_jobs')
export class SyncJobEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  connectorId!: string;

  @Column('text', { default: 'queued' })
  status!: JobStatus;

  @Column('boolean', { default: false })
  keyed!: boolean;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  completedAt!: Date | null;

  @Column('text', { nullable: true })
  errorMessage!: string | null;

  /** Error code of the source; null for other errors. */
  @Column('text', { nullable: true })
  errorCode!: SourceErrorCode | null;

  /** Error text of the source, redacted; only operators see it. */
  @Column('text', { nullable: true })
  sourceMessage!: string | null;

  @Column('text', { nullable: true })
  cancelReason!: string | null;

  /** Current position in the source; null at its beginning. */
  @Column('jsonb', { nullable: true })
  cursor!: SourcePlace | null;

  @Column('integer', { default: 0 })
  progressPct!: number;

  @Column('bigint', { default: 0 })
  recordsRead!: number;

  /** Estimated number of records in the source; null if unknown. */
  @Column('bigint', { nullable: true })
  recordsExpected!: number | null;

  @Column('bigint', { default: 0 })
  recordsApplied!: number;

  @Column('bigint', { default: 0 })
  recordsFailed!: number;

  /** Fields with unusable values, and entries that a later one replaces; their records were applied. */
  @Column('bigint', { default: 0 })
  fieldsLeftOut!: number;

  /** Records among those read that an incremental run only retried, because they had failed before. */
  @Column('bigint', { default: 0 })
  recordsRetried!: number;

  /** Records of erased people that the source listed again; not among those read. */
  @Column('bigint', { default: 0 })
  recordsSuppressed!: number;

  @Column('integer', { default: 0 })
  batchesWritten!: number;

  @Column('integer', { default: 0 })
  batchesProcessed!: number;

  /** Null until the source was read completely or failed. */
  @Column('integer', { nullable: true })
  batchesTotal!: number | null;

  /** Claims since the job last made progress. */
  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('bigint', { default: 0 })
  leaseToken!: number;

  @Column('text', { nullable: true })
  leaseOwner!: string | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('boolean', { default: false })
  dryRun!: boolean;

  /** True if the job reads nothing and deletes all records of a deleted connector. */
  @Column('boolean', { default: false })
  retires!: boolean;

  @Column('bigint', { default: 0 })
  recordsDeleted!: number;

  @Column('text', { nullable: true })
  note!: string | null;

  /** An operator's decision on a job that could not continue by itself. */
  @Column('jsonb', { nullable: true })
  decision!: { action: string; reason?: string; by?: string; at: string } | null;

  @Column('timestamptz', { nullable: true })
  sweepAskedAt!: Date | null;

  /** `auto` until a worker begins to read. */
  @Column('text', { default: 'auto' })
  mode!: JobMode;

  /** The checkpoint from which changes are read. */
  @Column('jsonb', { nullable: true })
  since!: SourcePlace | null;

  /** Version of the connector's config when the job began to read. */
  @Column('integer', { nullable: true })
  configVersion!: number | null;

  @Column('text', { nullable: true })
  whyFull!: string | null;

  /** Start position of the next incremental run, once this job has completed. */
  @Column('jsonb', { nullable: true })
  checkpoint!: SourcePlace | null;

  /** Due time, if a schedule created the job. */
  @Column('timestamptz', { nullable: true })
  scheduledFor!: Date | null;

  /** When the source last returned a page. */
  @Column('timestamptz', { nullable: true })
  lastRecordAt!: Date | null;

  /** The record that a record job reads. */
  @Column('text', { nullable: true })
  externalId!: string | null;

  /** Result of a record job. */
  @Column('text', { nullable: true })
  outcome!: RecordOutcome | null;

  /** Trace context of the request that triggered the job. */
  @Column('text', { nullable: true })
  traceparent!: string | null;
}

@Entity('connector_states')
export class ConnectorStateEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  connectorId!: string;

  @Column('jsonb', { nullable: true })
  checkpoint!: SourcePlace | null;

  /** Start of the run that stored the checkpoint. */
  @Column('timestamptz', { nullable: true })
  checkpointAt!: Date | null;

  /** Version of the config with which the checkpoint was read. */
  @Column('integer', { nullable: true })
  configVersion!: number | null;

  /** Incremental runs that completed since the last full run. */
  @Column('integer', { default: 0 })
  runsSinceFull!: number;

  /** Start of the last run that read the whole source; null if there was none. */
  @Column('timestamptz', { nullable: true })
  completeAsOf!: Date | null;

  /**
   * Due time of the next run, without jitter. Null if there is none, or if it must be planned again at `next_run_at`.
   */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  nextRunAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastDueAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  skippedAt!: Date | null;

  @Column('text', { nullable: true })
  skippedBecause!: string | null;

  /** The last job that ended and was not a dry run. */
  @Column('uuid', { nullable: true })
  lastJobId!: string | null;

  /** Number of consecutive failed jobs. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('timestamptz', { nullable: true })
  lastFailedAt!: Date | null;
}

/**
 * State of batches that stopped a process, or may have: the part in progress, the parts of the batch, and the records
 * that are left out.
 */
@Entity('batches_begun')
export class BatchBegunEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  jobId!: string;

  @PrimaryColumn('integer')
  seq!: number;

  /** The process that began the part. */
  @Column('uuid', { nullable: true })
  processId!: string | null;

  /** The part in progress: the position of its first record in the batch, and the position after its last. */
  @Column('integer', { nullable: true })
  first!: number | null;

  @Column('integer', { nullable: true })
  beyond!: number | null;

  /** How often a process stopped while it applied that part. */
  @Column('integer', { default: 0 })
  stops!: number;

  /** Positions at which parts begin, except the first. */
  @Column('integer', { array: true, default: () => "'{}'" })
  cuts!: number[];

  /** Positions of records that are left out. */
  @Column('integer', { array: true, default: () => "'{}'" })
  leftOut!: number[];
}
