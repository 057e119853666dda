import { z } from 'zod';
import { approvalStatuses } from '../approvals.js';
import { operatorRoles } from '../audit.js';
import { safeguard } from '../connector-config.js';
import { findingKinds, findingStates } from '../findings.js';
import { maxNetworks, network } from '../network.js';
import { caseStatuses, ruleLists } from '../operations.js';
import { parseUrl } from '../parse-url.js';
import {
  attributeFieldPattern,
  attributePrefix,
  machineClassifications,
  matchingKeys,
  recordFields,
  recordKinds,
  sourceRecord,
} from '../records.js';
import { schedule } from '../schedule.js';
import { jobStatuses, personStatuses, syncModes } from '../statuses.js';
import { text } from '../text.js';
import { webhookFilter } from '../webhook-filter.js';
import { webhookHeaders } from '../webhook-headers.js';
import { deliveryStatuses, payloadForms } from '../webhooks.js';
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
const planActions = ['create', 'update', 'disable', 'delete'] as const;
export const planQuery = z.object({
  ...page,
  action: z.enum(planActions, { error: `must be one of ${planActions.join(', ')}` }).optional(),
  external_id: text.trim().min(1).max(512).optional(),
});
export const historyQuery = z.object({ ...page, updated_since: since, cursor });
/** A page of changes must be sorted by each request, so the offset is limited; a cursor is not. */
export const maxChangesOffset = 10_000;
const exact = text.trim().min(1).max(512).optional();
/** Letters of a text search; fewer match too many people. */
const searchText = text
  .max(200)
  .refine((value) => (value.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2, {
    error: 'must have at least two letters or digits',
  })
  .optional();
/** Filters that find the records of a person. */
const filters = {
  q: searchText,
  email: exact,
  employee_number: exact,
  user_principal_name: exact,
  external_id: text.min(1).max(1024).optional(),
  connector_id: exact,
};
const anchorRule = {
  path: ['external_id'],
  error: 'must be given together with connector_id',
};
const isAnchor = (query: { external_id?: string; connector_id?: string }) =>
  (query.external_id === undefined) === (query.connector_id === undefined);

/** Attributes that one list can be filtered by. */
export const maxAttributeFilters = 5;
const shared = { department: exact, manager_id: exact, source: exact, group: exact };
const isShared = (query: object) =>
  ['department', 'manager_id', 'source', 'group', 'attributes'].some(
    (name) => query[name as keyof typeof query] !== undefined,
  );

/** Collects the query parameters `attributes.<name>`, whose names and values it checks. */
function collectAttributes(query: Record<string, unknown>, context: z.core.ParsePayload): Record<string, unknown> {
  const { attributes: _, ...others } = query;
  const given = Object.entries(query).filter(([name]) => name.startsWith(attributePrefix));
  if (given.length === 0) return others;
  const add = (name: string, message: string) =>
    context.issues.push({ code: 'custom', input: query, path: [name.slice(0, 100)], message });
  if (given.length > maxAttributeFilters) {
    add('attributes', `must be at most ${maxAttributeFilters} filters, got ${given.length}`);
  }
  const found = given.map(([field, value]): [string, unknown] => {
    const name = field.slice(attributePrefix.length);
    if (!attributeFieldPattern.test(field)) add(field, `must match ${attributeFieldPattern.source}`);
    else if (isField(name)) add(field, 'must be a custom attribute, not a field of users');
    const result = exact.safeParse(value);
    const [issue] = result.error?.issues ?? [];
    if (issue) add(field, issue.message);
    return [name, result.data];
  });
  return { ...others, attributes: Object.fromEntries(found) };
}

const { text: textFields, list: listFields, date: dateFields } = recordFields.user;
const isField = (name: string) =>
  ([...matchingKeys, ...textFields, ...listFields, ...dateFields] as readonly string[]).includes(name);

const maxOffset = (offset: number, what: string) =>
  `must be at most ${maxChangesOffset} with ${what}, got ${offset}: use cursor instead`;
const listQuery = z
  .object({
    ...page,
    status,
    updated_since: since,
    cursor,
    ...filters,
    ...shared,
    attributes: z.record(z.string(), z.string()).optional(),
  })
  .refine(isAnchor, anchorRule)
  .refine((query) => !query.updated_since || query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'updated_since'),
  })
  .refine((query) => !isShared(query) || query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'this filter'),
  });
export const directoryQuery = z.preprocess<unknown, typeof listQuery>(
  (query, context) => collectAttributes(query as Record<string, unknown>, context),
  listQuery,
);
export type DirectoryQuery = z.infer<typeof directoryQuery>;

/** Of the members of a group, which is a filter too. */
export const memberQuery = z
  .object({ ...page, status, updated_since: since, cursor })
  .refine((query) => query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'this list'),
  });
export const groupQuery = z
  .object({ ...page, cursor, source: exact, name: text.min(1).max(1024).optional() })
  .refine((query) => query.name === undefined || query.source !== undefined, {
    path: ['name'],
    error: 'must be given together with source',
  });

const truth = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((value) => value === 'true');
const oneOfStatuses = (values: readonly [string, ...string[]]) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` }).optional();
export const accountQuery = z
  .object({
    ...page,
    status: oneOfStatuses(recordFields.account.status),
    updated_since: since,
    cursor,
    ...filters,
    matched: truth.optional(),
  })
  .refine(isAnchor, anchorRule);
const score = wholeNumber(0)
  .refine((value) => value <= 100, 'must be at most 100')
  .optional();
export const machineQuery = z
  .object({
    ...page,
    status: oneOfStatuses(recordFields.machine_identity.status),
    updated_since: since,
    cursor,
    ...filters,
    classification: z
      .enum(machineClassifications, { error: `must be one of ${machineClassifications.join(', ')}` })
      .optional(),
    owned_by: exact,
    min_risk: score,
    max_risk: score,
  })
  .refine(isAnchor, anchorRule);
/** A query of any list of the directory. */
export type ListQuery = DirectoryQuery | z.infer<typeof accountQuery> | z.infer<typeof machineQuery>;

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
const afterForm = 'must be an integer of at least 0, or latest';
const after = z.union([z.literal('latest'), wholeNumber(0)], { error: afterForm });
export const eventsQuery = z.strictObject({ after: after.default(0), limit, types: eventNames.optional() });

const payload = z
  .enum(payloadForms, { error: `must be one of ${payloadForms.join(', ')}` })
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

/** Later years have five digits and another format. */
const latest = Date.parse('9999-12-31T23:59:59Z');

/** Decision about the records of a deleted connector. */
export const recordsOfDeleted = ['keep', 'retire', 'hand_over'] as const;
export const connectorDeletionQuery = z
  .object({
    records: z.enum(recordsOfDeleted, { error: `must be one of ${recordsOfDeleted.join(', ')}` }).default('keep'),
    to: z.string({ error: 'must be the id of a connector' }).optional(),
  })
  .refine(({ records, to }) => (records === 'hand_over') === (to !== undefined), {
    path: ['to'],
    error: 'is required with records=hand_over, and only then',
  });

const name = text.trim().min(1).max(200);
export const tenantBody = z.strictObject({ name });
export const tenantDeletionBody = z.strictObject({
  name: z.string().describe('The exact name of the tenant, as a confirmation.'),
});
export const tenantPatch = z.strictObject({
  name: name.optional(),
  suspended: z
    .boolean()
    .optional()
    .describe('true: keys of the tenant answer 403, and no source is read; false: resumes the tenant.'),
});
const expiry = dateTime
  .refine((time) => Date.parse(time) > Date.now() && Date.parse(time) < latest, { error: 'must be in the future' })
  .optional();
/** Body of a request for a token that pushes to one connector. */
export const connectorTokenBody = z.strictObject({ name, expires_at: expiry });
/** Body of a request for a token of an operator or a program. */
export const serviceTokenBody = z.strictObject({
  name: name.describe('Name of the actor in the audit log.'),
  role: z.enum(operatorRoles, { error: `must be one of ${operatorRoles.join(', ')}` }),
  tenants: z
    .array(text.min(1).max(100))
    .min(1)
    .max(100)
    .transform((list) => [...new Set(list)])
    .optional()
    .describe('Ids of the tenants that the token may access; all of them if absent.'),
  expires_at: expiry,
});
/** Body of a sign-in with ADMIN_TOKEN or a service token. */
export const signInBody = z.strictObject({ token: text.min(1).max(1_000) });
/** Body of a request whether a sign-in on another device is complete. */
export const deviceTokenBody = z.strictObject({ handle: text.min(1).max(4_000) });
export const logoutTokenBody = z.strictObject({ logout_token: text.min(1) });
const keyScopes = z
  .array(z.enum(scopes, { error: `must be any of ${scopes.join(', ')}` }))
  .min(1)
  .transform((list) => [...new Set(list)]);
export const apiKeyPatch = z.strictObject({
  name: name.optional(),
  scopes: keyScopes.optional().describe('Replaces the scopes of the key.'),
  expires_at: expiry.nullable().describe('null: the key never expires.'),
});
export const apiKeyBody = z.strictObject({
  name,
  scopes: keyScopes.default([...scopes]),
  expires_at: expiry,
  allowed_networks: z
    .array(network)
    .min(1)
    .max(maxNetworks)
    .transform((list) => [...new Set(list)])
    .optional()
    .describe('Addresses and CIDR ranges from which the key may be used; absent: any.'),
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
export const operationItemQuery = z.object({
  ...page,
  list: z.enum(ruleLists, { error: `must be one of ${ruleLists.join(', ')}` }).default('joined'),
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
/** Body of an acceptance of a finding. */
export const acceptFindingBody = z.strictObject({
  reason: text.trim().min(1).max(1000),
  until: expiry.describe('When the finding is open again; permanently accepted if absent.'),
  by,
});
export const undoBody = z.strictObject({ preview: z.boolean().default(false), reason });
/** Body of an operation that needs at most a reason. */
export const eraseBody = z.strictObject({
  keep_out: z
    .boolean()
    .default(true)
    .describe('Leave the person out when a source lists them again; false: the next full run creates them again.'),
  reason: text.min(1).max(1000).optional(),
});
export const handOverBody = z.strictObject({ to: text.min(1), reason: text.min(1).max(1000).optional() });
export const reasonBody = z.strictObject({ reason });
export const approvalQuery = z.object({
  ...page,
  status: z.enum(approvalStatuses, { error: `must be one of ${approvalStatuses.join(', ')}` }).optional(),
});
export const operatorJobQuery = z.object({
  ...page,
  connector_id: z.string().optional(),
  status: z.enum(jobStatuses, { error: `must be one of ${jobStatuses.join(', ')}` }).optional(),
});

const findingFilter = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` }).optional();
export const findingQuery = z.strictObject({
  limit: page.limit,
  cursor,
  kind: findingFilter(findingKinds),
  state: findingFilter(findingStates),
  subject: z.string().max(100).optional(),
  since: dateTime.transform((time) => new Date(time)).optional(),
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
/** Shared with the requests for the audit log. */
export const auditFields = { limit: page.limit, cursor, since: instant.optional() };
const window = { since: instant.optional(), until: instant.optional() };
const isWindow = ({ since, until }: { since?: Date; until?: Date }) => !since || !until || since < until;
const emptyWindow = { path: ['until'], error: 'must be after since' };
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
