import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('event_sequences')
export class EventSequenceEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'event_sequences_pkey' })
  tenantId!: string;

  @Column({ type: 'bigint' })
  last!: number;
}

@Index('events_identity', ['identityId', 'sequence'], { where: 'identity_id is not null' })
@Index('events_subject', ['subjectId'], { where: 'subject_id is not null' })
@Entity('events')
export class EventEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'events_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'events_pkey' })
  sequence!: number;

  @Column({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'timestamptz', name: 'occurred_at' })
  occurredAt!: Date;

  @Column({ type: 'uuid', name: 'identity_id', nullable: true })
  identityId!: string | null;

  @Column({ type: 'uuid', name: 'subject_id', nullable: true })
  subjectId!: string | null;

  @Column({ type: 'uuid', name: 'job_id', nullable: true })
  jobId!: string | null;

  @Column({ type: 'jsonb' })
  details!: unknown;

  /** Whose trace it belongs to. */
  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;
}
