import { z } from 'zod';
import { attemptOutcomes, breakerStates, deliveryStatuses, replayKinds, replayStatuses } from '../webhooks.js';
import { dateTime, text } from './resources.js';

const count = z
  .strictObject({ count: z.int(), exact: z.boolean() })
  .describe('Counted so far and no further; not exact: there are more.');
const healthFields = {
  id: text,
  callback_url: text,
  events: z.array(text),
  active: z.boolean(),
  created_at: dateTime,
  pending: count,
  dead: count,
  oldest_due_at: dateTime.optional().describe('When the first of what is pending was or is due.'),
  breaker: z.strictObject({
    state: text.describe(breakerStates.join(' | ')),
    open_until: dateTime.optional(),
  }),
  failures: z.int().describe('Failed attempts since the last success.'),
  last_success_at: dateTime.optional().describe('To within ten seconds while all goes well.'),
  last_failure_at: dateTime.optional(),
  disabled_at: dateTime.optional().describe('When it was switched off by the service, not by its owner.'),
  disabled_reason: text.optional(),
};
export const webhookHealthList = z.strictObject({ data: z.array(z.strictObject(healthFields)), total: z.int() });
export const webhookHealth = z.strictObject({
  ...healthFields,
  statistics: z.strictObject({
    since: dateTime.describe('24 hours ago, or later if there were more than 10 000 attempts since.'),
    attempts: z.int(),
    success_rate: z.number().min(0).max(1).optional().describe('Of those of which is known how they ended.'),
    duration_ms: z.strictObject({ p50: z.int(), p99: z.int() }).optional(),
    outcomes: z.record(text, z.int()).describe(`How many ended how: ${attemptOutcomes.join(' | ')}`),
  }),
});
export const testEvent = z.strictObject({ event_id: text.describe('What the delivery has as its `webhook-id`.') });

const deliveryFields = {
  id: text,
  webhook_id: text,
  event_id: text.optional(),
  event_type: text,
  sequence: z.int(),
  occurred_at: dateTime.optional().describe('When the event occurred.'),
  status: text.describe(deliveryStatuses.join(' | ')),
  in_flight: z.boolean().describe('An attempt is under way.'),
  tries: z.int().describe('Attempts that were begun.'),
  created_at: dateTime,
  due_at: dateTime.optional().describe('While it is pending.'),
  ended_at: dateTime.optional(),
  last_outcome: text.optional().describe(attemptOutcomes.join(' | ')),
  last_status_code: z.int().optional(),
  last_error: text.optional(),
};
const nextCursor = text.optional().describe('Where the next page begins; absent where the list has ended.');
export const deliveryPage = z.strictObject({
  data: z.array(z.strictObject(deliveryFields)),
  limit: z.int(),
  next_cursor: nextCursor,
});
export const delivery = z.strictObject({
  ...deliveryFields,
  attempts: z
    .array(
      z.strictObject({
        number: z.int(),
        started_at: dateTime,
        ended_at: dateTime.optional(),
        outcome: text.optional().describe(`${attemptOutcomes.join(' | ')}; absent while it is under way`),
        status_code: z.int().optional(),
        error: text.optional(),
        response_body: text.optional(),
        duration_ms: z.int().optional(),
      }),
    )
    .describe('The newest hundred, the oldest first.'),
  body: text.optional().describe('The text that is sent, to the byte; absent once it was forgotten.'),
});

export const replay = z.strictObject({
  replay_id: text,
  webhook_id: text,
  kind: text.describe(replayKinds.join(' | ')),
  status: text.describe(replayStatuses.join(' | ')),
  delivery_id: text.optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  events: z.array(text).optional(),
  requested_by: text,
  created_at: dateTime,
  ended_at: dateTime.optional(),
  progress_pct: z.int().min(0).max(100),
  total: z.int().optional().describe('Events or deliveries to look at; absent until it has begun.'),
  looked_at: z.int().describe('How many of them it has looked at.'),
  made_due: z.int().describe('Deliveries that are sent again, or for the first time.'),
});
export const replayPage = z.strictObject({ data: z.array(replay), limit: z.int(), next_cursor: nextCursor });
