import { z } from 'zod';
import { riskFactors } from '../machines.js';
import { volumeLimits } from '../record-limits.js';
import { sourceErrorCode } from '../source-errors.js';
import { jobStatuses, personStatuses } from '../statuses.js';

export const dateTime = z.iso.datetime({ precision: 3 });
export const text = z.string();

/**
 * Describes a text with a list of known values. OpenAPI gets no enum, because values may be added within `/v1` and
 * clients must ignore unknown ones.
 */
export function oneOf<Value extends string>(
  values: readonly Value[],
  description = values.join(' | '),
): z.ZodType<Value> {
  return text.describe(description) as unknown as z.ZodType<Value>;
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

export const user = z.strictObject({
  id: text,
  external_id: text,
  user_principal_name: text.optional(),
  display_name: text.optional(),
  email: text.optional(),
  job_title: text.optional(),
  first_name: text.optional(),
  last_name: text.optional(),
  status: oneOf(personStatuses),
  tenant_id: text,
  hire_date: dateTime.optional(),
  termination_date: dateTime.optional().describe('The last day of the employment, or the time when it ends.'),
  created_at: dateTime,
  updated_at: dateTime,
  roles: z.array(text),
  groups: z.array(text),
  departments: z.array(text),
});

export const account = z.strictObject({
  id: text,
  external_id: text,
  identifier: text,
  display_name: text.optional(),
  first_name: text.optional(),
  last_name: text.optional(),
  job_title: text.optional(),
  status: text.describe('active | disabled | locked | deleted'),
  source_system_id: text,
  person_id: text.optional().describe('The identity that it is linked to; absent if not matched.'),
  last_synced_at: dateTime.describe('When the source last changed the account.'),
  created_at: dateTime,
  updated_at: dateTime,
});

export const machineIdentity = z.strictObject({
  id: text,
  account_id: text.optional(),
  display_name: text,
  classification: text,
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
  status: text.describe('active | disabled | orphaned | decommissioned'),
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

export const syncJobReference = z.strictObject({ job_id: text, status: text });

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
};
export const webhook = z.strictObject(webhookFields);
export const createdWebhook = z.strictObject({
  ...webhookFields,
  signing_secret: text.describe('Returned only once.'),
});
export const rotatedSecret = z.strictObject({ signing_secret: text });

/** Describes the page size of lists whose items may be large. */
const boundedList = `A page holds at most ${volumeLimits.pageBytes / 1_048_576} MiB of items, and at least one item, so it may have fewer than \`limit\` although more follow. With offset paging, the next page begins at \`offset\` plus the number of items in \`data\`.`;
export const pageFields = {
  total: z.int(),
  limit: z.int().describe(boundedList),
  offset: z.int(),
};
const nextCursor = text
  .optional()
  .describe(
    'Cursor of the next page; absent at the end of the list. Present if `cursor` was given, or if the page has fewer items than `limit` because of its size.',
  );
export const identityPage = z.strictObject({
  data: z.array(identity),
  ...pageFields,
  next_cursor: nextCursor,
});
export const userPage = z.strictObject({ data: z.array(user), ...pageFields, next_cursor: nextCursor });
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
export const webhookList = z.strictObject({ data: z.array(listedWebhook), total: z.int() });

export type PageFields = z.infer<z.ZodObject<typeof pageFields>>;
export type Identity = z.infer<typeof identity>;
export type Account = z.infer<typeof account>;
export type LifecycleEvent = z.infer<typeof lifecycleEvent>;
export type SyncJobReference = z.infer<typeof syncJobReference>;
export type SyncStatus = z.infer<typeof syncStatus>;
export type Webhook = z.infer<typeof listedWebhook>;
export type RotatedSecret = z.infer<typeof rotatedSecret>;
