import { z } from 'zod';
import { deliveryStatuses } from '../fixed-values.js';
import { webhookFilter } from '../webhook-filter.js';
import {
  attemptOutcomes,
  breakerStates,
  inactivators,
  payloadForms,
  replayKinds,
  replayStatuses,
} from '../webhooks.js';
import { count, dateTime, oneOf, text } from './resources.js';

const healthFields = {
  id: text,
  callback_url: text,
  events: z.array(text),
  active: z.boolean(),
  created_at: dateTime,
  filter: webhookFilter.optional(),
  payload: oneOf(payloadForms).optional(),
  header_names: z.array(text).optional(),
  pending: count,
  dead: count,
  oldest_due_at: dateTime.optional().describe('Due time of the oldest pending delivery.'),
  breaker: z.strictObject({
    state: oneOf(breakerStates),
    open_until: dateTime.optional(),
  }),
  failures: z.int().describe('Failed attempts since the last success.'),
  last_success_at: dateTime.optional().describe('Accurate to ten seconds while deliveries succeed.'),
  last_failure_at: dateTime.optional(),
  disabled_at: dateTime.optional().describe('When the service disabled the webhook because of failures.'),
  disabled_reason: text.optional(),
};
const inactive = z
  .strictObject({
    by: oneOf(
      inactivators,
      'client: a request set `active` to false | service: deliveries failed, or the receiver is gone',
    ),
    key_id: text.optional().describe('The API key of the request; absent if it was an operator.'),
    at: dateTime,
    reason: text,
  })
  .describe('Why the webhook is inactive; absent while it is active.');
const lastError = z
  .strictObject({
    delivery_id: text,
    at: dateTime,
    outcome: oneOf(attemptOutcomes),
    status_code: z.int().optional(),
    error: text.optional(),
  })
  .describe('The newest failed attempt among the last hundred attempts.');
const webhookHealth = z.strictObject(healthFields);
export const webhookHealthList = z.strictObject({ data: z.array(webhookHealth), total: z.int() });
export const webhookDetails = z.strictObject({
  ...healthFields,
  inactive: inactive.optional(),
  last_error: lastError.optional(),
  statistics: z.strictObject({
    since: dateTime.describe('Begin of the oldest hour.'),
    attempts: z.int().describe('Attempts that have ended since.'),
    success_rate: z.number().min(0).max(1).optional().describe('Rate among attempts with a known outcome.'),
    duration_ms: z
      .strictObject({
        p50: z.int(),
        p99: z.int(),
        attempts: z.int().describe('The newest attempts of which the percentiles are, at most 10000.'),
      })
      .optional(),
    hours: z
      .array(z.strictObject({ at: dateTime, delivered: z.int(), failed: z.int() }))
      .describe('Attempts that ended in this hour and in each of the 23 before it, the oldest first.'),
    outcomes: z.record(text, z.int()).describe(`Number of attempts by outcome: ${attemptOutcomes.join(' | ')}`),
  }),
});
export const testEvent = z.strictObject({ event_id: text.describe('The `webhook-id` of the delivery.') });

const deliveryFields = {
  id: text,
  webhook_id: text,
  event_id: text.optional(),
  event_type: text,
  sequence: z.int(),
  occurred_at: dateTime.optional().describe('When the event occurred.'),
  status: oneOf(deliveryStatuses),
  in_flight: z.boolean().describe('An attempt is in progress.'),
  tries: z.int().describe('Number of attempts that were started.'),
  created_at: dateTime,
  due_at: dateTime.optional().describe('Set while the delivery is pending.'),
  ended_at: dateTime.optional(),
  last_outcome: oneOf(attemptOutcomes).optional(),
  last_status_code: z.int().optional(),
  last_error: text.optional(),
};
const nextCursor = text.optional().describe('Cursor of the next page; absent at the end of the list.');
const headers = z.record(text, text);
export const delivery = z.strictObject(deliveryFields);
export const deliveryPage = z.strictObject({
  data: z.array(delivery),
  limit: z.int(),
  next_cursor: nextCursor,
});
export const deliveryDetails = z.strictObject({
  ...deliveryFields,
  attempts: z
    .array(
      z.strictObject({
        number: z.int(),
        started_at: dateTime,
        ended_at: dateTime.optional(),
        outcome: oneOf(
          attemptOutcomes,
          `${attemptOutcomes.join(' | ')}; absent while the attempt is in progress`,
        ).optional(),
        status_code: z.int().optional(),
        error: text.optional(),
        request: z
          .strictObject({ url: text, headers })
          .optional()
          .describe(
            'The request, without its body; absent if the address is not allowed or no secret could be decrypted.',
          ),
        response_headers: headers
          .optional()
          .describe('At most 64 headers of together 8 KiB. Cookies are left out; long values are cut.'),
        response_body: text.optional().describe('At most the first 16 KiB.'),
        duration_ms: z.int().optional(),
      }),
    )
    .describe('The newest hundred, the oldest first.'),
  body: text.optional().describe('The exact text that is sent; absent once it was deleted.'),
});

export const replay = z.strictObject({
  replay_id: text,
  webhook_id: text,
  kind: oneOf(replayKinds),
  status: oneOf(replayStatuses),
  delivery_id: text.optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  events: z.array(text).optional(),
  requested_by: text,
  created_at: dateTime,
  ended_at: dateTime.optional(),
  progress_pct: z.int().min(0).max(100),
  total: z.int().optional().describe('Number of events or deliveries to examine; absent before the replay begins.'),
  looked_at: z.int().describe('Number of examined events or deliveries.'),
  made_due: z.int().describe('Number of deliveries that are sent again, or for the first time.'),
});
export const replayPage = z.strictObject({ data: z.array(replay), limit: z.int(), next_cursor: nextCursor });

export const signingKey = z.strictObject({
  public_key: text.describe('`whpk_` and the base64 of the 32 bytes of an Ed25519 public key.'),
  created_at: dateTime,
  expires_at: dateTime.optional().describe('Set after a rotation.'),
});
export const signingKeyList = z.strictObject({ data: z.array(signingKey), total: z.int() });

export type SigningKey = z.infer<typeof signingKey>;
export type WebhookHealth = z.infer<typeof webhookHealth>;
export type WebhookDetails = z.infer<typeof webhookDetails>;
export type TestEvent = z.infer<typeof testEvent>;
export type Delivery = z.infer<typeof delivery>;
export type DeliveryDetails = z.infer<typeof deliveryDetails>;
export type Replay = z.infer<typeof replay>;
