import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { SyncJobEntity } from './sync.entities.js';
import { TenantOwned } from './tenant.entities.js';

@Index('failing_records_connector', ['connectorId', 'id'])
@Index('failing_records_anchor', ['connectorId', 'externalId'], { unique: true, where: 'external_id is not null' })
@Index('failing_records_line', ['connectorId', 'line'], { unique: true, where: 'external_id is null' })
@Index('failing_records_job', ['jobId'])
@Entity('failing_records')
export class FailingRecordEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  connectorId!: string;

  /** The last job in which the record failed. */
  @Column('uuid')
  jobId!: string;

  @ManyToOne(() => SyncJobEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  job?: Relation<SyncJobEntity>;

  @Column('text', { nullable: true })
  externalId!: string | null;

  @Column('bigint', { nullable: true })
  line!: number | null;

  @Column('text')
  message!: string;

  /** Redacted source value or text that caused the error. */
  @Column('text', { nullable: true })
  sourceMessage!: string | null;

  /** The field that was left out; null if the whole record was. */
  @Column('text', { nullable: true })
  field!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  firstFailedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  lastFailedAt!: Date;

  /** How often an incremental run has read it again. */
  @Column('integer', { default: 0 })
  retries!: number;

  /** When the next incremental run may read it again; null: at any time. */
  @Column('timestamptz', { nullable: true })
  retryAt!: Date | null;
}

@Index('sync_record_errors_job', ['jobId', 'id'])
@Index('sync_record_errors_record', ['tenantId', 'externalId'], { where: 'external_id is not null' })
@Entity('sync_record_errors')
export class SyncRecordErrorEntity extends TenantOwned {
  @Column('uuid')
  jobId!: string;

  @ManyToOne(() => SyncJobEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  job?: Relation<SyncJobEntity>;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('bigint', { nullable: true })
  line!: number | null;

  @Column('text', { nullable: true })
  externalId!: string | null;

  @Column('text')
  message!: string;

  /** Redacted source value or text that caused the error. */
  @Column('text', { nullable: true })
  sourceMessage!: string | null;

  /** The field that was left out; null if the whole record was. */
  @Column('text', { nullable: true })
  field!: string | null;

  @Column('boolean', { default: false })
  hidesOthers!: boolean;
}
