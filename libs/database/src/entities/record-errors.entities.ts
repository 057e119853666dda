import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

@Entity('failing_records')
export class FailingRecordEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  connectorId!: string;

  /** The last job in which the record failed. */
  @Column('uuid')
  jobId!: string;

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

@Entity('sync_record_errors')
export class SyncRecordErrorEntity extends TenantOwned {
  @Column('uuid')
  jobId!: string;

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
