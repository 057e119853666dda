import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { TenantEntity } from './gateway.entities.js';

@Index('sync_jobs_one_running', ['connectorId'], {
  unique: true,
  where: "status in ('running', 'quarantined') and mode <> 'record'",
})
@Index('sync_jobs_one_queued', ['connectorId'], { unique: true, where: "status = 'queued' and not keyed" })
@Index('sync_jobs_unfinished', ['connectorId', 'id'], { where: "status in ('queued', 'running', 'quarantined')" })
@Index('sync_jobs_waiting', ['connectorId', 'id'], { where: "status = 'queued' and mode <> 'record'" })
@Index('sync_jobs_records_unfinished', ['id'], { where: "mode = 'record' and status in ('queued', 'running')" })
@Index('sync_jobs_records', ['connectorId', 'lastRecordAt'], { where: "mode = 'record'" })
@Index('sync_jobs_tenant', ['tenantId', 'id'])
@Index('sync_jobs_sweeping', ['sweepAskedAt'], { where: 'sweep_asked_at is not null' })
@Index('sync_jobs_finished', ['completedAt'], { where: 'completed_at is not null' })
@Check(
  'sync_jobs_status_check',
  "status in ('queued', 'running', 'quarantined', 'completed', 'completed_with_errors', 'failed', 'cancelled')",
)
@Index('sync_jobs_scheduled', ['connectorId', 'scheduledFor'], { unique: true, where: 'scheduled_for is not null' })
@Check('sync_jobs_mode_check', "mode in ('auto', 'full', 'changes', 'record')")
@Check('sync_jobs_record_check', "(mode = 'record') = (external_id is not null)")
@Check('sync_jobs_outcome_check', "outcome in ('created', 'updated', 'unchanged', 'deleted', 'absent', 'refused')")
@Entity('sync_jobs')
export class SyncJobEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'sync_jobs_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'sync_jobs_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'text', default: 'queued' })
  status!: string;

  @Column({ type: 'boolean', default: false })
  keyed!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'completed_at', nullable: true })
  completedAt!: Date | null;

  @Column({ type: 'text', name: 'error_message', nullable: true })
  errorMessage!: string | null;

  @Column({ type: 'text', name: 'cancel_reason', nullable: true })
  cancelReason!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  cursor!: unknown | null;

  @Column({ type: 'integer', name: 'progress_pct', default: 0 })
  progressPct!: number;

  @Column({ type: 'bigint', name: 'records_read', default: 0 })
  recordsRead!: number;

  @Column({ type: 'bigint', name: 'records_expected', nullable: true })
  recordsExpected!: number | null;

  @Column({ type: 'bigint', name: 'records_applied', default: 0 })
  recordsApplied!: number;

  @Column({ type: 'bigint', name: 'records_failed', default: 0 })
  recordsFailed!: number;

  @Column({ type: 'integer', name: 'batches_written', default: 0 })
  batchesWritten!: number;

  @Column({ type: 'integer', name: 'batches_processed', default: 0 })
  batchesProcessed!: number;

  @Column({ type: 'integer', name: 'batches_total', nullable: true })
  batchesTotal!: number | null;

  /** Claims since the job last moved on. */
  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  @Column({ type: 'bigint', name: 'lease_token', default: 0 })
  leaseToken!: number;

  @Column({ type: 'text', name: 'lease_owner', nullable: true })
  leaseOwner!: string | null;

  @Column({ type: 'timestamptz', name: 'lease_until', nullable: true })
  leaseUntil!: Date | null;

  @Column({ type: 'boolean', name: 'dry_run', default: false })
  dryRun!: boolean;

  @Column({ type: 'bigint', name: 'records_deleted', default: 0 })
  recordsDeleted!: number;

  @Column({ type: 'text', nullable: true })
  note!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  decision!: unknown | null;

  @Column({ type: 'timestamptz', name: 'sweep_asked_at', nullable: true })
  sweepAskedAt!: Date | null;

  @Column({ type: 'text', default: 'auto' })
  mode!: string;

  /** The checkpoint whose changes it reads. */
  @Column({ type: 'jsonb', nullable: true })
  since!: unknown | null;

  /** Of the connector's config when it began to read. */
  @Column({ type: 'integer', name: 'config_version', nullable: true })
  configVersion!: number | null;

  @Column({ type: 'text', name: 'why_full', nullable: true })
  whyFull!: string | null;

  /** Where the next read of changes takes up, once this job has completed. */
  @Column({ type: 'jsonb', nullable: true })
  checkpoint!: unknown | null;

  /** When it was due, if a schedule made it. */
  @Column({ type: 'timestamptz', name: 'scheduled_for', nullable: true })
  scheduledFor!: Date | null;

  /** When its source last gave a page. */
  @Column({ type: 'timestamptz', name: 'last_record_at', nullable: true })
  lastRecordAt!: Date | null;

  /** Of the record it reads, where that is one alone. */
  @Column({ type: 'text', name: 'external_id', nullable: true })
  externalId!: string | null;

  /** What came of that record. */
  @Column({ type: 'text', nullable: true })
  outcome!: string | null;

  /** Whose trace it belongs to. */
  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;
}

@Index('connector_states_due', ['nextRunAt'], { where: 'next_run_at is not null' })
@Entity('connector_states')
export class ConnectorStateEntity {
  @PrimaryColumn({ type: 'uuid', name: 'connector_id', primaryKeyConstraintName: 'connector_states_pkey' })
  connectorId!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'connector_states_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @Column({ type: 'jsonb', nullable: true })
  checkpoint!: unknown | null;

  /** When the run began that left the checkpoint. */
  @Column({ type: 'timestamptz', name: 'checkpoint_at', nullable: true })
  checkpointAt!: Date | null;

  /** Of the config that the checkpoint was read by. */
  @Column({ type: 'integer', name: 'config_version', nullable: true })
  configVersion!: number | null;

  @Column({ type: 'integer', name: 'runs_since_full', default: 0 })
  runsSinceFull!: number;

  /** The next run, without jitter; null where there is none, or where it has to be planned anew at `next_run_at`. */
  @Column({ type: 'timestamptz', name: 'due_at', nullable: true })
  dueAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'next_run_at', nullable: true })
  nextRunAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'last_due_at', nullable: true })
  lastDueAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'skipped_at', nullable: true })
  skippedAt!: Date | null;

  @Column({ type: 'text', name: 'skipped_because', nullable: true })
  skippedBecause!: string | null;

  /** The last one that ended and was no dry run. */
  @Column({ type: 'uuid', name: 'last_job_id', nullable: true })
  lastJobId!: string | null;

  /** Jobs in a row that failed. */
  @Column({ type: 'integer', default: 0 })
  failures!: number;

  @Column({ type: 'timestamptz', name: 'last_failed_at', nullable: true })
  lastFailedAt!: Date | null;
}

@Index('failing_records_connector', ['connectorId', 'id'])
@Index('failing_records_anchor', ['connectorId', 'externalId'], { unique: true, where: 'external_id is not null' })
@Index('failing_records_line', ['connectorId', 'line'], { unique: true, where: 'external_id is null' })
@Index('failing_records_job', ['jobId'])
@Entity('failing_records')
export class FailingRecordEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'failing_records_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  /** The last in which it failed. */
  @Column({ type: 'uuid', name: 'job_id' })
  jobId!: string;

  @ManyToOne(() => SyncJobEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'job_id', foreignKeyConstraintName: 'failing_records_job_id_fkey' })
  job?: Relation<SyncJobEntity>;

  @Column({ type: 'text', name: 'external_id', nullable: true })
  externalId!: string | null;

  @Column({ type: 'bigint', nullable: true })
  line!: number | null;

  @Column({ type: 'text' })
  message!: string;

  @Column({ type: 'timestamptz', name: 'first_failed_at', default: () => 'now()' })
  firstFailedAt!: Date;

  @Column({ type: 'timestamptz', name: 'last_failed_at', default: () => 'now()' })
  lastFailedAt!: Date;
}

@Entity('sync_batches')
export class SyncBatchEntity {
  @PrimaryColumn({ type: 'uuid', name: 'job_id', primaryKeyConstraintName: 'sync_batches_pkey' })
  jobId!: string;

  @ManyToOne(() => SyncJobEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'job_id', foreignKeyConstraintName: 'sync_batches_job_id_fkey' })
  job?: Relation<SyncJobEntity>;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'sync_batches_pkey' })
  seq!: number;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'integer', name: 'record_count' })
  recordCount!: number;

  @Column({ type: 'text' })
  records!: string;

  @Column({ type: 'timestamptz', name: 'announced_at', default: () => 'now()' })
  announcedAt!: Date;
}

@Index('sync_record_errors_job', ['jobId', 'id'])
@Index('sync_record_errors_record', ['tenantId', 'externalId'], { where: 'external_id is not null' })
@Entity('sync_record_errors')
export class SyncRecordErrorEntity {
  @Column({ type: 'uuid', name: 'job_id' })
  jobId!: string;

  @ManyToOne(() => SyncJobEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'job_id', foreignKeyConstraintName: 'sync_record_errors_job_id_fkey' })
  job?: Relation<SyncJobEntity>;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'sync_record_errors_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'bigint', nullable: true })
  line!: number | null;

  @Column({ type: 'text', name: 'external_id', nullable: true })
  externalId!: string | null;

  @Column({ type: 'text' })
  message!: string;

  @Column({ type: 'boolean', name: 'hides_others', default: false })
  hidesOthers!: boolean;
}
