import { z } from 'zod';
import { riskFactors } from '../machines.js';
import { jobStatuses, personStatuses } from '../statuses.js';

export const dateTime = z.iso.datetime({ precision: 3 });
export const text = z.string();

export const errorBody = z.strictObject({ error: text });
export const health = z.strictObject({ status: text.optional() });

export const attribute = z.strictObject({
  identity_id: text.optional(),
  field_name: text.optional(),
  field_value: text.optional(),
  source_type: text.optional(),
  source_id: text.optional(),
  priority: z.int().optional(),
  updated_at: dateTime.optional(),
});

export const user = z.strictObject({
  id: text.optional(),
  external_id: text.optional(),
  user_principal_name: text.optional(),
  display_name: text.optional(),
  email: text.optional(),
  job_title: text.optional(),
  first_name: text.optional(),
  last_name: text.optional(),
  status: text.optional().describe(personStatuses.join(' | ')),
  tenant_id: text.optional(),
  hire_date: dateTime.optional(),
  created_at: dateTime.optional(),
  updated_at: dateTime.optional(),
  roles: z.array(text).optional(),
  groups: z.array(text).optional(),
  departments: z.array(text).optional(),
});

export const account = z.strictObject({
  id: text.optional(),
  external_id: text.optional(),
  identifier: text.optional(),
  display_name: text.optional(),
  first_name: text.optional(),
  last_name: text.optional(),
  job_title: text.optional(),
  status: text.optional().describe('active | disabled | locked | deleted'),
  source_system_id: text.optional(),
  person_id: text.optional().describe('The identity it belongs to; absent while it is not matched to one.'),
  last_synced_at: dateTime.optional().describe('When its source last changed something here.'),
  created_at: dateTime.optional(),
  updated_at: dateTime.optional(),
});

export const machineIdentity = z.strictObject({
  id: text.optional(),
  account_id: text.optional(),
  display_name: text.optional(),
  classification: text.optional(),
  owned_by: text
    .optional()
    .describe('The identity that answers for it, or what its source wrote while nobody is known by that.'),
  manager_id: text.optional().describe('An identity, or what its source wrote.'),
  technical_inheritor: text
    .optional()
    .describe('Who takes over when the owner leaves: an identity, or what its source wrote.'),
  risk_score: z.int().optional(),
  risk_factors: z
    .array(text)
    .optional()
    .describe(`What the score is made of: ${riskFactors.join(' | ')}`),
  status: text.optional().describe('active | disabled | orphaned | decommissioned'),
  created_at: dateTime.optional(),
  updated_at: dateTime.optional(),
});

export const identity = z.strictObject({
  id: text.optional(),
  display_name: text.optional(),
  status: text.optional().describe(personStatuses.join(' | ')),
  created_at: dateTime.optional(),
  updated_at: dateTime.optional(),
  attributes: z
    .array(attribute)
    .optional()
    .describe('Every candidate of every source; the winner of each field first.'),
  users: z.array(user).optional(),
  accounts: z.array(account).optional(),
  machine_identities: z.array(machineIdentity).optional(),
});

export const lifecycleEvent = z.strictObject({
  id: text.optional(),
  event_type: text.optional(),
  occurred_at: dateTime.optional(),
  details: z.record(text, z.unknown()).optional(),
});

export const syncJobReference = z.strictObject({ job_id: text.optional(), status: text.optional() });

export const syncStatusFields = {
  job_id: text.optional(),
  status: text.optional().describe(jobStatuses.join(' | ')),
  progress_pct: z.int().min(0).max(100).optional(),
  started_at: dateTime.optional(),
  completed_at: dateTime.optional(),
  error_message: text.optional(),
  batches_processed: z.int().optional(),
  batches_total: z.int().optional().describe('Absent until the source was read to its end.'),
};
export const syncStatus = z.strictObject(syncStatusFields);

const webhookFields = {
  id: text.optional(),
  callback_url: text.optional(),
  events: z.array(text).min(1).optional(),
  active: z.boolean().optional(),
  created_at: dateTime.optional(),
};
export const webhook = z.strictObject(webhookFields);
export const createdWebhook = z.strictObject({
  ...webhookFields,
  signing_secret: text.optional().describe('Shown here and never again.'),
});
export const rotatedSecret = z.strictObject({ signing_secret: text.optional() });

export const pageFields = { total: z.int().optional(), limit: z.int().optional(), offset: z.int().optional() };
const nextCursor = text
  .optional()
  .describe('Where the next page begins; only if `cursor` was given, and absent where the list has ended.');
export const identityPage = z.strictObject({
  data: z.array(identity).optional(),
  ...pageFields,
  next_cursor: nextCursor,
});
export const userPage = z.strictObject({ data: z.array(user).optional(), ...pageFields, next_cursor: nextCursor });
export const historyPage = z.strictObject({
  data: z.array(lifecycleEvent).optional(),
  ...pageFields,
  next_cursor: nextCursor,
});
export const event = z.strictObject({
  id: text.optional().describe('What webhooks have as `webhook-id`.'),
  type: text.optional(),
  timestamp: dateTime.optional(),
  tenant_id: text.optional(),
  sequence: z
    .int()
    .optional()
    .describe('Its number among all events of the tenant, in the order of commits and without gaps.'),
  data: z.record(text, z.unknown()).optional(),
});
export const eventPage = z.strictObject({
  data: z.array(event).optional(),
  next_after: z.int().optional().describe('`after` of the next request, also where this page is empty.'),
  has_more: z.boolean().optional().describe('There is more to look at now.'),
  limit: z.int().optional(),
});
const listedWebhook = z.strictObject({
  ...webhookFields,
  disabled_at: dateTime.optional(),
  disabled_reason: text.optional().describe('Why it was switched off, if its failures did that.'),
});
export const webhookList = z.strictObject({ data: z.array(listedWebhook).optional(), total: z.int().optional() });
