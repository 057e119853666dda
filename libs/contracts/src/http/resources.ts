import { z } from 'zod';
import { connectorHealths } from '../connector-health.js';
import { jobStatuses, machineClassifications, personStatuses, type RecordKind, recordFields } from '../fixed-values.js';
import { riskFactors } from '../machines.js';
import { portalAccesses } from '../portal.js';
import { volumeLimits } from '../record-limits.js';
import { sourceErrorCode } from '../source-errors.js';
import { webhookFilter } from '../webhook-filter.js';
import { payloadForms } from '../webhooks.js';

export const dateTime = z.iso.datetime({ precision: 3 });
export const text = z.string();

/**
 * A text with known values, which OpenAPI lists as its enum. Values may be added within `/v1`, so that clients must
 * expect unknown ones; therefore the schema accepts any text.
 */
export function oneOf<const Value extends string>(values: readonly Value[], description?: string): z.ZodType<Value> {
  return text.meta({ enum: [...values], ...(description && { description }) }) as unknown as z.ZodType<Value>;
}

export const errorBody = z.strictObject({ error: text });
export const health = z.strictObject({ status: text });

export const attribute = z.strictObject({
  identity_id: text,
  field_name: text,
  field_value: text,
  source_type: text,
  source_id: text,
  priority: z.int(),
  updated_at: dateTime,
});

type Delivered<
  Kind extends RecordKind,
  Type extends 'text' | 'date' | 'list',
> = (typeof recordFields)[Kind][Type][number];

/** The fields that sources deliver about a record, without other addresses, which are attributes only. */
function delivered<const Kind extends RecordKind>(kind: Kind) {
  const { text: texts, date: dates, list: lists } = recordFields[kind];
  const fields = (names: readonly string[], type: z.ZodType) => names.map((name) => [name, type]);
  return Object.fromEntries([
    ...fields(texts, text.optional()),
    ...fields(dates, dateTime.optional()),
    ...fields(
      lists.filter((name) => name !== 'other_emails'),
      z.array(text),
    ),
  ]) as { [Name in Delivered<Kind, 'text'>]: z.ZodOptional<typeof text> } & {
    [Name in Delivered<Kind, 'date'>]: z.ZodOptional<typeof dateTime>;
  } & { [Name in Exclude<Delivered<Kind, 'list'>, 'other_emails'>]: z.ZodArray<typeof text> };
}

export const user = z.strictObject({
  id: text,
  external_id: text,
  ...delivered('user'),
  status: oneOf(personStatuses),
  tenant_id: text,
  termination_date: dateTime.optional().describe('The last day of the employment, or the time when it ends.'),
  manager_id: text.optional().describe('An identity, or the value from the source.'),
  created_at: dateTime,
  updated_at: dateTime,
});

export const account = z.strictObject({
  id: text,
  external_id: text,
  ...delivered('account'),
  identifier: text,
  status: oneOf(recordFields.account.status),
  source_system_id: text,
  person_id: text.optional().describe('The identity that it is linked to; absent if not matched.'),
  last_synced_at: dateTime.describe('When the source last changed the account.'),
  created_at: dateTime,
  updated_at: dateTime,
});

export const machineIdentity = z.strictObject({
  id: text,
  ...delivered('machine_identity'),
  display_name: text,
  classification: oneOf(machineClassifications),
  owned_by: text
    .optional()
    .describe('The responsible identity, or the value from the source if no identity was found for it.'),
  manager_id: text.optional().describe('An identity, or the value from the source.'),
  technical_inheritor: text
    .optional()
    .describe('The successor when the owner leaves: an identity, or the value from the source.'),
  risk_score: z.int().optional(),
  risk_factors: z
    .array(text)
    .optional()
    .describe(`Factors of the score: ${riskFactors.join(' | ')}`),
  status: oneOf(recordFields.machine_identity.status),
  created_at: dateTime,
  updated_at: dateTime,
});

export const identity = z.strictObject({
  id: text,
  display_name: text.optional(),
  status: oneOf(personStatuses),
  created_at: dateTime,
  updated_at: dateTime,
  attributes: z.array(attribute).describe('The values of all sources, with the winner of each field first.'),
  users: z.array(user),
  accounts: z.array(account),
  machine_identities: z.array(machineIdentity),
  left_out: z
    .strictObject({
      attributes: z.int().optional(),
      users: z.int().optional(),
      accounts: z.int().optional(),
      machine_identities: z.int().optional(),
    })
    .optional()
    .describe(
      `Number of omitted items of each list; absent if there are none. An identity shows at most ${volumeLimits.attributeBytes / 1_024} KiB of attributes, winners first, and ${volumeLimits.nestedBytes / 1_024} KiB of users, accounts and machine identities, those that are not deleted first.`,
    ),
});

export const lifecycleEvent = z.strictObject({
  id: text,
  event_type: text,
  occurred_at: dateTime,
  details: z
    .record(text, z.unknown())
    .describe(
      `\`changes\` contains at most ${volumeLimits.changeBytes / 1_024} KiB of values; \`values_left_out: true\` means that some fields are listed without values.`,
    ),
});

export const syncJobReference = z.strictObject({ job_id: text, status: oneOf(jobStatuses) });

export const syncStatusFields = {
  job_id: text,
  status: oneOf(jobStatuses),
  progress_pct: z.int().min(0).max(100),
  started_at: dateTime.optional(),
  completed_at: dateTime.optional(),
  error_message: text.optional(),
  error_code: sourceErrorCode.optional(),
  batches_processed: z.int(),
  batches_total: z.int().optional().describe('Absent until the source was read completely.'),
};
export const syncStatus = z.strictObject(syncStatusFields);

const webhookFields = {
  id: text,
  callback_url: text.describe('Normalised according to the WHATWG URL standard.'),
  events: z.array(text).min(1),
  active: z.boolean(),
  created_at: dateTime,
  filter: webhookFilter.optional().describe('Condition that an event must match; absent if there is none.'),
  payload: z.enum(payloadForms).optional().describe('Absent if full.'),
  header_names: z.array(text).optional().describe('Names of the additional headers; absent if there are none.'),
};
export const webhook = z.strictObject(webhookFields);
export const createdWebhook = z.strictObject({
  ...webhookFields,
  signing_secret: text.describe('Returned only once.'),
});
export const rotatedSecret = z.strictObject({ signing_secret: text });

/** Describes the page size of lists whose items may be large. */
const boundedList = `A page holds at most ${volumeLimits.pageBytes / 1_048_576} MiB of items, and at least one item, and with filters it ends after the rows that one request examines, so it may have fewer than \`limit\`, or none, although more follow. Continue with \`next_cursor\`; in a list without it, at \`offset\` plus the number of items in \`data\`.`;
export const pageFields = {
  total: z.int(),
  limit: z.int().describe(boundedList),
  offset: z.int(),
};
export const nextCursor = text
  .optional()
  .describe(
    'Cursor of the next page; absent at the end of the list. Present if `cursor` was given, or if the page has fewer items than `limit` although more follow.',
  );
export const count = z
  .strictObject({ count: z.int(), exact: z.boolean() })
  .describe('Counted up to a limit; if not exact, there are more.');
const isEstimate = z
  .literal(true)
  .optional()
  .describe(
    'Present if there are more items than `total`, or may be. Lists are complete nevertheless. A search with few hits counts all of them, other lists with filters by name, department, attribute, manager, group or source count up to 200, other lists of accounts and machine identities up to 10000.',
  );
const listFields = { ...pageFields, total_is_estimate: isEstimate, next_cursor: nextCursor };
export const identityPage = z.strictObject({ data: z.array(identity), ...listFields });
export const userPage = z.strictObject({ data: z.array(user), ...listFields });
export const accountPage = z.strictObject({ data: z.array(account), ...listFields });
export const machineIdentityPage = z.strictObject({ data: z.array(machineIdentity), ...listFields });
export const group = z.strictObject({
  id: text,
  name: text.describe('As the source names it now.'),
  external_id: text.describe(
    'The key of the group in its source, which a rename keeps. The name, if the source has no key.',
  ),
  source_id: text.describe('The connector.'),
  created_at: dateTime.describe('When its first member was stored.'),
  updated_at: dateTime.describe('When it got its name.'),
  members_total: z.int().describe('Number of members.'),
  members_total_is_estimate: z
    .literal(true)
    .optional()
    .describe(
      'Present if there are more members than `members_total`, which counts 50000, in a list divided by its groups.',
    ),
});
export const groupPage = z.strictObject({ data: z.array(group), ...listFields });
export const connectorSummary = z.strictObject({
  id: text,
  name: text,
  type: text,
  records: text,
  health: z.enum(connectorHealths),
  complete_as_of: dateTime
    .optional()
    .describe(
      'Start of the last run that read the whole source. Absent: no run has. Later deletions may be unnoticed.',
    ),
});
export const connectorSummaryPage = z.strictObject({ data: z.array(connectorSummary), ...pageFields });
export const historyPage = z.strictObject({
  data: z.array(lifecycleEvent),
  ...pageFields,
  next_cursor: nextCursor,
});
export const event = z.strictObject({
  id: text.describe('The `webhook-id` of webhook requests.'),
  type: text,
  timestamp: dateTime,
  tenant_id: text,
  sequence: z.int().describe('Position among all events of the tenant, in commit order and without gaps.'),
  data: z.record(text, z.unknown()),
});
export const eventPage = z.strictObject({
  data: z.array(event),
  next_after: z.int().describe('`after` of the next request, even if this page is empty.'),
  has_more: z.boolean().describe('More events are available now.'),
  limit: z.int().describe('A page may have fewer events although more follow.'),
});
export const listedWebhook = z.strictObject({
  ...webhookFields,
  disabled_at: dateTime.optional(),
  disabled_reason: text.optional().describe('Why failures disabled the webhook, if they did.'),
});
const ofPortal = z
  .strictObject({ access: oneOf(portalAccesses), bodies: z.boolean(), expires_at: dateTime })
  .describe('Rights of the portal link of this request; absent for an API key.');
export const webhookList = z.strictObject({
  data: z.array(listedWebhook),
  total: z.int(),
  portal: ofPortal.optional(),
});

export type PageFields = z.infer<z.ZodObject<typeof pageFields>>;
export type Identity = z.infer<typeof identity>;
export type ConnectorSummary = z.infer<typeof connectorSummary>;
export type MachineIdentity = z.infer<typeof machineIdentity>;
export type User = z.infer<typeof user>;
export type Account = z.infer<typeof account>;
export type Group = z.infer<typeof group>;
export type GroupPage = z.infer<typeof groupPage>;
export type WebhookList = z.infer<typeof webhookList>;
export type LifecycleEvent = z.infer<typeof lifecycleEvent>;
export type SyncJobReference = z.infer<typeof syncJobReference>;
export type SyncStatus = z.infer<typeof syncStatus>;
export type Webhook = z.infer<typeof listedWebhook>;
export type RotatedSecret = z.infer<typeof rotatedSecret>;
