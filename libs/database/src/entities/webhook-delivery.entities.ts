import type { AttemptOutcome, ReplayFilter, ReplayKind, ReplayStatus, SentRequest } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** The exact bytes sent for an event, the same for every webhook. */
@Entity('event_payloads')
export class EventPayloadEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('bigint')
  sequence!: number;

  @Column('uuid')
  eventId!: string;

  @Column('text')
  body!: string;

  /** Trace context of the operation that caused the event. */
  @Column('text', { nullable: true })
  traceparent!: string | null;
}

@Entity('webhook_deliveries')
export class WebhookDeliveryEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  webhookId!: string;

  @Column('bigint')
  eventSequence!: number;

  @Column('text')
  eventType!: string;

  /** Whether the receiver gets only ids; fixed, so that all attempts send the same bytes. */
  @Column('boolean', { default: false })
  thin!: boolean;

  @Column('text', { default: 'pending' })
  status!: string;

  /** Number of attempts of the schedule that are used up. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Number of claims. It is the number of the last attempt, and the fencing token of the lease. */
  @Column('integer', { default: 0 })
  tries!: number;

  @Column('boolean', { default: false })
  isRetry!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}

@Entity('webhook_attempts')
export class WebhookAttemptEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  deliveryId!: string;

  @PrimaryColumn('integer')
  number!: number;

  @Column('uuid')
  webhookId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  /** Null while the attempt is in flight. */
  @Column('text', { nullable: true })
  outcome!: AttemptOutcome | null;

  /** Duration of the HTTP exchange only. */
  @Column('integer', { nullable: true })
  durationMs!: number | null;

  @Column('integer', { nullable: true })
  statusCode!: number | null;

  @Column('text', { nullable: true })
  error!: string | null;

  @Column('text', { nullable: true })
  responseBody!: string | null;

  /** The request as it was sent, without its body; null if none was sent. */
  @Column('jsonb', { nullable: true })
  request!: SentRequest | null;

  @Column('jsonb', { nullable: true })
  responseHeaders!: Record<string, string> | null;
}

/** Deliveries to be sent again at an operator's request. */
@Entity('webhook_replays')
export class WebhookReplayEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  webhookId!: string;

  @Column('text')
  kind!: ReplayKind;

  @Column('jsonb')
  filter!: ReplayFilter;

  @Column('text', { default: 'queued' })
  status!: ReplayStatus;

  /** The last sequence that was examined. */
  @Column('bigint', { default: 0 })
  position!: number;

  /** The last sequence to examine; null before the replay begins. */
  @Column('bigint', { nullable: true })
  untilSequence!: number | null;

  /** Number of events to examine; null before the replay begins. */
  @Column('bigint', { nullable: true })
  total!: number | null;

  @Column('bigint', { default: 0 })
  lookedAt!: number;

  /** Deliveries that were made due, existing or new. */
  @Column('bigint', { default: 0 })
  done!: number;

  @Column('text')
  requestedBy!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  /** When its next part was last requested. */
  @Column('timestamptz', { default: () => 'now()' })
  announcedAt!: Date;
}
