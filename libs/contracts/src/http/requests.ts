import { z } from 'zod';
import { safeguard } from '../connector-config.js';
import { caseStatuses } from '../operations.js';
import { parseUrl } from '../parse-url.js';
import { recordKinds, sourceRecord } from '../records.js';
import { schedule } from '../schedule.js';
import { jobStatuses, personStatuses, syncModes } from '../statuses.js';
import { text } from '../text.js';
import { deliveryStatuses } from '../webhooks.js';
import { scopes } from './errors.js';

export const defaultPageSize = 50;
export const maxPageSize = 200;

/** A repeated query parameter is a list and therefore rejected. */
const wholeNumber = (min: number) =>
  z
    .string({ error: `must be an integer of at least ${min}` })
    .regex(/^\d{1,15}$/, `must be an integer of at least ${min}`)
    .transform(Number)
    .refine((value) => value >= min, `must be an integer of at least ${min}`);

const limit = wholeNumber(1)
  .transform((size) => Math.min(size, maxPageSize))
  .default(defaultPageSize);
const page = {
  limit,
  offset: wholeNumber(0).default(0),
};
const status = z.enum(personStatuses, { error: `must be one of ${personStatuses.join(', ')}` }).optional();
const dateTime = z.iso.datetime({ offset: true, error: 'must be a date-time such as 2026-01-31T12:00:00Z' });
const since = dateTime.optional();
const cursor = z.string({ error: 'must be a cursor of an earlier page' }).max(200).optional();

export const identityQuery = z.object({ at: since });
export const pageQuery = z.object(page);
export const historyQuery = z.object({ ...page, updated_since: since, cursor });
/** A page of changes must be sorted by each request, so the offset is limited; a cursor is not. */
export const maxChangesOffset = 10_000;
export const directoryQuery = z
  .object({ ...page, status, updated_since: since, cursor })
  .refine((query) => !query.updated_since || query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) =>
      `must be at most ${maxChangesOffset} with updated_since, got ${(input as { offset: number }).offset}: use cursor instead`,
  });
export type DirectoryQuery = z.infer<typeof directoryQuery>;

export const triggerBody = z.object({
  connector_id: text.min(1),
  idempotency_key: text.min(1).max(255).optional(),
});

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
const eventList = z
  .array(eventPattern)
  .min(1, 'must name at least one event')
  .max(100)
  .transform((events) => [...new Set(events)]);

const maxNames = 100;
const eventNamesForm = `must be at most ${maxNames} event names, prefixes such as identity.*, or *, separated by commas`;
const eventNames = z
  .string({ error: eventNamesForm })
  .transform((names) => [...new Set(names.split(','))])
  .refine((names) => names.length <= maxNames && names.every((name) => eventPattern.safeParse(name).success), {
    error: eventNamesForm,
  });
export const eventsQuery = z.strictObject({ after: wholeNumber(0).default(0), limit, types: eventNames.optional() });

export const webhookBody = z.object({ callback_url: callbackUrl, events: eventList });
export const webhookPatch = z.object({
  callback_url: callbackUrl.optional(),
  events: eventList.optional(),
  active: z.boolean().optional(),
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

/** Later years have five digits and another format. */
const latest = Date.parse('9999-12-31T23:59:59Z');

const name = text.trim().min(1).max(200);
export const tenantBody = z.strictObject({ name });
const expiry = dateTime
  .refine((time) => Date.parse(time) > Date.now() && Date.parse(time) < latest, { error: 'must be in the future' })
  .optional();
/** Body of a request for a token that pushes to one connector. */
export const connectorTokenBody = z.strictObject({ name, expires_at: expiry });
export const apiKeyBody = z.strictObject({
  name,
  scopes: z
    .array(z.enum(scopes, { error: `must be any of ${scopes.join(', ')}` }))
    .min(1)
    .transform((list) => [...new Set(list)])
    .default([...scopes]),
  expires_at: expiry,
});
/** Documents the patch; the resulting connector is validated as a whole. */
export const connectorPatch = z.looseObject({
  name: name.optional(),
  priority: z.int().optional(),
  records: z.enum(recordKinds).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  safeguard: safeguard.optional(),
  schedule: schedule.nullish(),
});
export const operatorTriggerBody = z.strictObject({
  connector_id: text.min(1),
  /** Stores what a run would change, and changes nothing. */
  dry_run: z.boolean().default(false),
  mode: z
    .enum(syncModes, { error: `must be one of ${syncModes.join(', ')}` })
    .default('auto')
    .describe(
      'full: the whole source | changes: changes since the last run | auto: changes where the source supports it.',
    ),
});
/** Name of the operator, since all operators share one token. */
const by = text.trim().min(1).max(200).default('operator');
export const cancelBody = z.strictObject({ reason: text.trim().min(1).max(1000).optional(), by });
export const releaseBody = z.strictObject({ reason: text.trim().min(1).max(1000), by });
const reason = text.trim().min(1).max(1000).optional();
const id = text.min(1).max(100);
export const caseQuery = z.object({
  ...page,
  status: z.enum(caseStatuses, { error: `must be one of ${caseStatuses.join(', ')}` }).default('open'),
});
export const resolveBody = z
  .strictObject({
    resolution: z.enum(['link', 'new', 'ignore'], { error: 'must be link, new or ignore' }),
    identity_id: id.optional(),
    reason,
  })
  .refine((body) => (body.resolution === 'link') === (body.identity_id !== undefined), {
    path: ['identity_id'],
    error: 'is required with link and not allowed otherwise',
  });
export const mergeBody = z.strictObject({ from_ids: z.array(id).min(1).max(50), reason });
export const splitBody = z.strictObject({ record_ids: z.array(id).min(1).max(1000), reason });
export const undoBody = z.strictObject({ preview: z.boolean().default(false), reason });
/** Body of an operation that needs at most a reason. */
export const reasonBody = z.strictObject({ reason });
export const operatorJobQuery = z.object({
  ...page,
  connector_id: z.string().optional(),
  status: z.enum(jobStatuses, { error: `must be one of ${jobStatuses.join(', ')}` }).optional(),
});

/** Path parameter, decoded. PostgreSQL cannot store NUL. */
export const recordPath = z.object({
  external_id: sourceRecord.shape.external_id.refine((id) => !id.includes('\0'), {
    error: 'must not contain a NUL character',
  }),
});

const eventType = z
  .string({ error: 'must be an event type' })
  .max(128)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, 'must be an event type');
const instant = dateTime.transform((time) => new Date(time));
const window = { since: instant.optional(), until: instant.optional() };
const isWindow = ({ since, until }: { since?: Date; until?: Date }) => !since || !until || since < until;
const emptyWindow = { path: ['until'], error: 'must be after since' };
export const deliveryQuery = z
  .strictObject({
    limit: page.limit,
    cursor,
    webhook_id: z.string().optional(),
    status: z.enum(deliveryStatuses, { error: `must be one of ${deliveryStatuses.join(', ')}` }).optional(),
    event_type: eventType.optional(),
    ...window,
  })
  .refine(isWindow, emptyWindow);
export const replayQuery = z.strictObject({ limit: page.limit, cursor });
export const testBody = z.strictObject({ message: text.min(1).max(500).default('This is a test.') });
/** Body of a request to send deliveries again. */
export const resendBody = z.strictObject({ by });
export const replayBody = z
  .strictObject({
    since: instant.refine((time) => time.getTime() <= Date.now(), { error: 'must not be in the future' }),
    until: instant.optional(),
    /** Filters the events that the webhook subscribes to. */
    events: eventList.optional(),
    by,
  })
  .refine(isWindow, emptyWindow);

function isHttpUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url) return false;
  return (
    ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '' && url.hostname !== ''
  );
}
