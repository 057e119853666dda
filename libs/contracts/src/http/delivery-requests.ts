import { z } from 'zod';
import { deliveryStatuses } from '../fixed-values.js';
import { text } from '../text.js';
import { by, cursor, emptyWindow, instant, isWindow, page, window } from './request-parts.js';
import { eventNames, storedEventList } from './webhook-requests.js';

const eventType = z
  .string({ error: 'must be an event type' })
  .max(128)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, 'must be an event type');
const deliveryFilters = {
  limit: page.limit,
  cursor,
  status: z.enum(deliveryStatuses, { error: `must be one of ${deliveryStatuses.join(', ')}` }).optional(),
  event_type: eventType.optional(),
  ...window,
};
export const deliveryQuery = z
  .strictObject({ ...deliveryFilters, webhook_id: z.string().optional() })
  .refine(isWindow, emptyWindow);
/** Query of the deliveries of one webhook. */
export const webhookDeliveryQuery = z.strictObject(deliveryFilters).refine(isWindow, emptyWindow);
/** Query of the events of a tenant, the newest first. */
export const operatorEventQuery = z
  .strictObject({
    limit: page.limit,
    cursor,
    types: eventNames.optional(),
    identity_id: z.string().optional(),
    subject_id: z.string().optional(),
    job_id: z.string().optional(),
    connector_id: z.string().optional(),
    ...window,
  })
  .refine(isWindow, emptyWindow);
export const replayQuery = z.strictObject({ limit: page.limit, cursor });
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
