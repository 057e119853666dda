import { z } from 'zod';
import { deliveryStatuses, recordKinds } from '../fixed-values.js';
import { dateTime, nextCursor, oneOf, text } from './resources.js';

const referenceFields = {
  id: text,
  event_type: text,
  occurred_at: dateTime,
  sequence: z.int(),
  identity_id: text.optional().describe('The identity whose history contains the event.'),
  subject_id: text.optional().describe('The user, account, machine identity or identity that the event is about.'),
  job_id: text.optional().describe('The run that caused it.'),
};
/** The data of a message of an event stream. */
const eventReference = z.strictObject(referenceFields);
export const eventStream = text.describe(
  'Server-sent events. The `id` of a message is its sequence, and its `data` a JSON object with `id`, `event_type`, `occurred_at`, `sequence` and, if they exist, `identity_id`, `subject_id` and `job_id`. A message `reset` replaces events that were not sent: read everything again.',
);
const eventFields = {
  ...referenceFields,
  name: text.optional().describe('Name of the identity, while it exists.'),
  connector_id: text.optional().describe('The connector of the run.'),
  changed: z.array(text).describe('Names of the changed fields.'),
  deliveries: z
    .array(z.strictObject({ id: text, webhook_id: text, status: oneOf(deliveryStatuses) }))
    .describe('Deliveries to the webhooks that subscribe to it, while they are kept.'),
};
export const operatorEvent = z.strictObject(eventFields);
export const operatorEventPage = z.strictObject({
  data: z.array(operatorEvent),
  limit: z.int(),
  next_cursor: nextCursor,
});
export const operatorEventDetails = z.strictObject({
  ...eventFields,
  details: z.record(text, z.unknown()),
  body: text.optional().describe('The text that webhooks receive.'),
});

export const activity = z.strictObject({
  hours: z
    .array(
      z.strictObject({
        at: dateTime,
        events: z.int(),
        delivered: z.int().describe('Attempts of deliveries that succeeded, by the time of their end.'),
        failed: z.int().describe('Attempts of deliveries that failed; not those whose outcome is unknown.'),
      }),
    )
    .describe('This hour and the 23 before it, the oldest first.'),
});

export const operatorRecord = z.strictObject({
  id: text,
  kind: oneOf(recordKinds),
  connector_id: text,
  identity_id: text.optional().describe('The identity that it belongs to; absent if there is none.'),
});

export type OperatorRecord = z.infer<typeof operatorRecord>;
export type Activity = z.infer<typeof activity>;
export type EventReference = z.infer<typeof eventReference>;
export type OperatorEvent = z.infer<typeof operatorEvent>;
export type OperatorEventDetails = z.infer<typeof operatorEventDetails>;
