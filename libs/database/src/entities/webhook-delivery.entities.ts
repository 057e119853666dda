import type { AttemptOutcome, ReplayFilter, ReplayKind, ReplayStatus, SentRequest } from '@idsync/contracts';
import { bigint, boolean, entity, integer, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

/** The exact bytes sent for an event, the same for every webhook. */
export const EventPayloadEntity = entity('event_payloads', {
  tenantId: uuid({ primary: true }),
  sequence: bigint({ primary: true }),
  eventId: uuid(),
  body: text(),
  /** Trace context of the operation that caused the event. */
  traceparent: text({ nullable: true }),
});
export type EventPayloadEntity = RowOf<typeof EventPayloadEntity>;

export const WebhookDeliveryEntity = entity('webhook_deliveries', {
  ...ofTenant,
  id: uuid({ primary: true }),
  webhookId: uuid(),
  eventSequence: bigint(),
  eventType: text(),
  /** Whether the receiver gets only ids; fixed, so that all attempts send the same bytes. */
  thin: boolean({ default: false }),
  status: text({ default: 'pending' }),
  /** Number of attempts of the schedule that are used up. */
  attempts: integer({ default: 0 }),
  /** Number of claims. It is the number of the last attempt, and the fencing token of the lease. */
  tries: integer({ default: 0 }),
  isRetry: boolean({ default: false }),
  dueAt: timestamptz({ default: () => 'now()' }),
  leaseUntil: timestamptz({ nullable: true }),
  createdAt: timestamptz({ createDate: true }),
  endedAt: timestamptz({ nullable: true }),
});
export type WebhookDeliveryEntity = RowOf<typeof WebhookDeliveryEntity>;

export const WebhookAttemptEntity = entity('webhook_attempts', {
  ...ofTenant,
  deliveryId: uuid({ primary: true }),
  number: integer({ primary: true }),
  webhookId: uuid(),
  startedAt: timestamptz({ default: () => 'now()' }),
  endedAt: timestamptz({ nullable: true }),
  /** Null while the attempt is in flight. */
  outcome: text<AttemptOutcome>({ nullable: true }),
  /** Duration of the HTTP exchange only. */
  durationMs: integer({ nullable: true }),
  statusCode: integer({ nullable: true }),
  error: text({ nullable: true }),
  responseBody: text({ nullable: true }),
  /** The request as it was sent, without its body; null if none was sent. */
  request: jsonb<SentRequest>({ nullable: true }),
  responseHeaders: jsonb<Record<string, string>>({ nullable: true }),
});
export type WebhookAttemptEntity = RowOf<typeof WebhookAttemptEntity>;

/** Deliveries to be sent again at an operator's request. */
export const WebhookReplayEntity = entity('webhook_replays', {
  ...ofTenant,
  id: uuid({ primary: true }),
  webhookId: uuid(),
  kind: text<ReplayKind>(),
  filter: jsonb<ReplayFilter>(),
  status: text<ReplayStatus>({ default: 'queued' }),
  /** The last sequence that was examined. */
  position: bigint({ default: 0 }),
  /** The last sequence to examine; null before the replay begins. */
  untilSequence: bigint({ nullable: true }),
  /** Number of events to examine; null before the replay begins. */
  total: bigint({ nullable: true }),
  lookedAt: bigint({ default: 0 }),
  /** Deliveries that were made due, existing or new. */
  done: bigint({ default: 0 }),
  requestedBy: text(),
  createdAt: timestamptz({ createDate: true }),
  endedAt: timestamptz({ nullable: true }),
  /** When its next part was last requested. */
  announcedAt: timestamptz({ default: () => 'now()' }),
});
export type WebhookReplayEntity = RowOf<typeof WebhookReplayEntity>;
