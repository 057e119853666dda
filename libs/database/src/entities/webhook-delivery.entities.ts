import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The last event of a tenant that was fanned out. */
@Entity('fan_out_positions')
export class FanOutPositionEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'fan_out_positions_pkey' })
  tenantId!: string;

  @Column({ type: 'bigint' })
  sequence!: number;
}

/** The exact bytes that are sent for an event, the same to every webhook. */
@Entity('event_payloads')
export class EventPayloadEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'event_payloads_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'event_payloads_pkey' })
  sequence!: number;

  @Column({ type: 'uuid', name: 'event_id' })
  eventId!: string;

  @Column({ type: 'text' })
  body!: string;

  /** Whose trace it belongs to. */
  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;
}

@Index('webhook_deliveries_once', ['webhookId', 'eventSequence'], { unique: true })
@Index('webhook_deliveries_first', ['webhookId', 'eventSequence'], { where: "status = 'pending' and not is_retry" })
@Index('webhook_deliveries_retry', ['webhookId', 'dueAt'], { where: "status = 'pending' and is_retry" })
@Index('webhook_deliveries_retry_sequence', ['webhookId', 'eventSequence'], {
  where: "status = 'pending' and is_retry",
})
@Index('webhook_deliveries_dead', ['webhookId', 'eventSequence'], { where: "status = 'dead'" })
@Check('webhook_deliveries_status_check', "status in ('pending', 'delivered', 'dead')")
@Entity('webhook_deliveries')
export class WebhookDeliveryEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'webhook_deliveries_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'webhook_id' })
  webhookId!: string;

  @Column({ type: 'bigint', name: 'event_sequence' })
  eventSequence!: number;

  @Column({ type: 'text', name: 'event_type' })
  eventType!: string;

  @Column({ type: 'text', default: 'pending' })
  status!: string;

  /** Steps of the schedule that are spent. */
  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** How often it was claimed: the number of its last attempt, and the fence of whoever holds the lease. */
  @Column({ type: 'integer', default: 0 })
  tries!: number;

  @Column({ type: 'boolean', name: 'is_retry', default: false })
  isRetry!: boolean;

  @Column({ type: 'timestamptz', name: 'due_at', default: () => 'now()' })
  dueAt!: Date;

  @Column({ type: 'timestamptz', name: 'lease_until', nullable: true })
  leaseUntil!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'ended_at', nullable: true })
  endedAt!: Date | null;
}

@Index('webhook_attempts_webhook', ['webhookId', 'startedAt'])
@Entity('webhook_attempts')
export class WebhookAttemptEntity {
  @PrimaryColumn({ type: 'uuid', name: 'delivery_id', primaryKeyConstraintName: 'webhook_attempts_pkey' })
  deliveryId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'webhook_attempts_pkey' })
  number!: number;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'webhook_id' })
  webhookId!: string;

  @Column({ type: 'timestamptz', name: 'started_at', default: () => 'now()' })
  startedAt!: Date;

  @Column({ type: 'timestamptz', name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  /** Absent while it is under way. */
  @Column({ type: 'text', nullable: true })
  outcome!: string | null;

  /** Of the exchange alone. */
  @Column({ type: 'integer', name: 'duration_ms', nullable: true })
  durationMs!: number | null;

  @Column({ type: 'integer', name: 'status_code', nullable: true })
  statusCode!: number | null;

  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ type: 'text', name: 'response_body', nullable: true })
  responseBody!: string | null;
}

/** How an endpoint fares; its webhook may be younger than the state, which then says nothing any more. */
@Entity('webhook_endpoints')
export class WebhookEndpointEntity {
  @PrimaryColumn({ type: 'uuid', name: 'webhook_id', primaryKeyConstraintName: 'webhook_endpoints_pkey' })
  webhookId!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'timestamptz', name: 'state_since', default: () => 'now()' })
  stateSince!: Date;

  /** Failed attempts since the last success. */
  @Column({ type: 'integer', default: 0 })
  failures!: number;

  /** How often the breaker opened since the last success. */
  @Column({ type: 'integer', default: 0 })
  trips!: number;

  @Column({ type: 'timestamptz', name: 'open_until', nullable: true })
  openUntil!: Date | null;

  @Column({ type: 'timestamptz', name: 'last_success_at', nullable: true })
  lastSuccessAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'last_failure_at', nullable: true })
  lastFailureAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'failing_since', nullable: true })
  failingSince!: Date | null;

  /** When a delivery was given up since the last success. */
  @Column({ type: 'timestamptz', name: 'exhausted_at', nullable: true })
  exhaustedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;

  @Column({ type: 'text', name: 'disabled_reason', nullable: true })
  disabledReason!: string | null;
}

/** Deliveries that an operator wants again; the position is the last sequence that was looked at. */
@Index('webhook_replays_tenant', ['tenantId', 'id'])
@Index('webhook_replays_queued', ['webhookId'], { where: "status = 'queued'" })
@Index('webhook_replays_open', ['announcedAt'], { where: "status in ('queued', 'running')" })
@Check('webhook_replays_kind_check', "kind in ('resend', 'replay', 'requeue')")
@Check('webhook_replays_status_check', "status in ('queued', 'running', 'done', 'cancelled')")
@Entity('webhook_replays')
export class WebhookReplayEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'webhook_replays_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'webhook_id' })
  webhookId!: string;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'jsonb' })
  filter!: unknown;

  @Column({ type: 'text', default: 'queued' })
  status!: string;

  @Column({ type: 'bigint', default: 0 })
  position!: number;

  @Column({ type: 'bigint', name: 'until_sequence', nullable: true })
  untilSequence!: number | null;

  /** What is to be looked at; absent until it has begun. */
  @Column({ type: 'bigint', nullable: true })
  total!: number | null;

  @Column({ type: 'bigint', name: 'looked_at', default: 0 })
  lookedAt!: number;

  /** Deliveries that were made due again, or for the first time. */
  @Column({ type: 'bigint', default: 0 })
  done!: number;

  @Column({ type: 'text', name: 'requested_by' })
  requestedBy!: string;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  /** When its next part was asked for. */
  @Column({ type: 'timestamptz', name: 'announced_at', default: () => 'now()' })
  announcedAt!: Date;
}
