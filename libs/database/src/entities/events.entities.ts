import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('event_sequences')
export class EventSequenceEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('bigint')
  last!: number;

  /** The last time that was assigned to a change or an event; null before the first one. */
  @Column('timestamptz', { nullable: true })
  lastAt!: Date | null;
}

@Index('events_identity', ['identityId', 'sequence'], { where: 'identity_id is not null' })
@Index('events_subject', ['subjectId'], { where: 'subject_id is not null' })
@Entity('events')
export class EventEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('bigint')
  sequence!: number;

  @Column('uuid')
  id!: string;

  @Column('text')
  type!: string;

  @Column('timestamptz')
  occurredAt!: Date;

  @Column('uuid', { nullable: true })
  identityId!: string | null;

  @Column('uuid', { nullable: true })
  subjectId!: string | null;

  @Column('uuid', { nullable: true })
  jobId!: string | null;

  @Column('jsonb')
  details!: unknown;

  /** Trace context of the operation that caused the event. */
  @Column('text', { nullable: true })
  traceparent!: string | null;
}
