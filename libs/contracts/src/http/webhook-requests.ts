import { z } from 'zod';
import { eventTypes } from '../fixed-values.js';
import { parseUrl } from '../parse-url.js';
import { text } from '../text.js';
import { webhookFilter } from '../webhook-filter.js';
import { webhookHeaders } from '../webhook-headers.js';
import { payloadForms } from '../webhooks.js';
import { choice, digits, limit } from './request-parts.js';

const maxCallbackLength = 2048;
/**
 * Normalised, because URL parsers differ in which characters they ignore: the WHATWG parser drops tabs and newlines.
 */
const callbackUrl = text
  .max(maxCallbackLength)
  .refine((url) => !/\p{Cc}/u.test(url), { error: 'must not contain control characters such as tabs and newlines' })
  .refine(isHttpUrl, { error: 'must be an http or https URL without credentials' })
  .transform((url) => new URL(url).href)
  .refine((url) => url.length <= maxCallbackLength, {
    error: `must have at most ${maxCallbackLength} characters, with non-ASCII characters percent-encoded`,
  });
const eventPattern = z
  .string()
  .max(128)
  .regex(/^(\*|[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?)$/, 'must be an event name, a prefix such as identity.*, or *');
/** Subscriptions may name types of later versions; a filter of what is stored may not. */
const fitsSomeEvent = (name: string) =>
  name === '*' || eventTypes.some((type) => (name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : type === name));
const unknownEvent = {
  error: ({ input }: { input?: unknown }) =>
    `must name events that exist, unlike ${(input as string[]).find((name) => !fitsSomeEvent(name))}`,
};
export const eventList = z
  .array(eventPattern)
  .min(1, 'must name at least one event')
  .max(100)
  .transform((events) => [...new Set(events)]);
/** Events that were stored. */
export const storedEventList = eventList.refine((names) => names.every(fitsSomeEvent), unknownEvent);

const maxNames = 100;
const eventNamesForm = `must be at most ${maxNames} event names, prefixes such as identity.*, or *, separated by commas`;
const eventNames = z
  .string({ error: eventNamesForm })
  .transform((names) => [...new Set(names.split(','))])
  .refine((names) => names.length <= maxNames && names.every((name) => eventPattern.safeParse(name).success), {
    error: eventNamesForm,
  })
  .refine((names) => names.every(fitsSomeEvent), unknownEvent);
const afterForm = 'must be an integer of at least 0, or latest';
const after = z.union([digits(afterForm), z.literal('latest')], { error: afterForm });
export const eventTypeFilter = eventNames
  .optional()
  .describe('Like the `events` of a subscription, separated by commas: `identity.*,user.created`.');
/** Position of an event stream, also in `Last-Event-ID`. */
export const eventStreamQuery = z.strictObject({
  after: after.default('latest').describe('Sequence of the last event that is known, or `latest`.'),
});
export const eventsQuery = z.strictObject({
  after: after
    .default(0)
    .describe(
      'Only events with a higher `sequence`. `latest` returns no events, and the newest `sequence` as `next_after`. A number above the newest `sequence` is 400: the client has a position of another installation, or of a later state than a restored backup.',
    ),
  limit,
  types: eventTypeFilter,
});

const payload = choice(payloadForms)
  .optional()
  .describe('thin: `data` has only ids. Applies to deliveries of later events.');
const headers = webhookHeaders
  .optional()
  .describe('Additional headers of each request. Their values are stored encrypted and never shown.');
export const webhookBody = z.object({
  callback_url: callbackUrl,
  events: eventList,
  filter: webhookFilter.optional().describe('Only events whose body matches; test events always match.'),
  payload,
  headers,
});
export const webhookPatch = z.object({
  callback_url: callbackUrl.optional(),
  events: eventList.optional(),
  active: z.boolean().optional(),
  filter: webhookFilter.nullish().describe('null removes the filter.'),
  payload,
  headers,
});
/** For how many hours earlier secrets remain valid beside a new one. */
export const overlapHours = { default: 24, max: 720 };
const overlapForm = `must be an integer from 0 to ${overlapHours.max}`;
export const rotateBody = z.strictObject({
  overlap_hours: z
    .int({ error: overlapForm })
    .min(0, overlapForm)
    .max(overlapHours.max, overlapForm)
    .default(overlapHours.default)
    .describe('How long earlier secrets remain valid beside the new one; with 0 they expire at once.'),
});

function isHttpUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url) return false;
  return (
    ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '' && url.hostname !== ''
  );
}
