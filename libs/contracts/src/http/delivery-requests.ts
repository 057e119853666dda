import { z } from 'zod';
import { deliveryStatuses } from '../fixed-values.js';
import { text } from '../text.js';
import { by, emptyWindow, idFilter, instant, isWindow, limit, nextCursor, oneOf, window } from './request-parts.js';
import { eventTypeFilter, storedEventList } from './webhook-requests.js';

const eventType = z
  .string({ error: 'must be an event type' })
  .max(128)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, 'must be an event type');
const deliveryFilters = {
  limit,
  cursor: nextCursor,
  status: oneOf(deliveryStatuses, 'Only deliveries in this status.'),
  event_type: eventType.optional().describe('Only deliveries of events of this type.'),
  ...window('events that occurred'),
};
export const deliveryQuery = z
  .strictObject({ ...deliveryFilters, webhook_id: idFilter('Only deliveries to this webhook.') })
  .refine(isWindow, emptyWindow);
/** Query of the deliveries of one webhook. */
export const webhookDeliveryQuery = z.strictObject(deliveryFilters).refine(isWindow, emptyWindow);
/** Query of the events of a tenant, the newest first. */
export const operatorEventQuery = z
  .strictObject({
    limit,
    cursor: nextCursor,
    types: eventTypeFilter,
    identity_id: idFilter('Only events of this identity and of those that were merged into it.'),
    subject_id: idFilter('Only events about this user, account or machine identity.'),
    job_id: idFilter('Only events that this run caused.'),
    connector_id: idFilter('Only events that runs of this connector caused.'),
    ...window('events that occurred'),
  })
  .refine(isWindow, emptyWindow);
export const replayQuery = z.strictObject({ limit, cursor: nextCursor });
export const testBody = z.strictObject({ message: text.min(1).max(500).default('This is a test.') });
/** Body of a request to send deliveries again. */
export const resendBody = z.strictObject({ by });
/** Bounds for the tests and replays that clients request. */
export const testIntervalSeconds = 5;
export const maxQueuedReplays = 100;
/** Body of a client's request to send deliveries again, which has no fields. */
export const emptyBody = z.strictObject({});
export const replayBody = z
  .strictObject({
    since: instant.refine((time) => time.getTime() <= Date.now(), { error: 'must not be in the future' }),
    until: instant.optional(),
    /** Filters the events that the webhook subscribes to. */
    events: storedEventList.optional(),
    by,
  })
  .refine(isWindow, emptyWindow);
