import { z } from 'zod';
import { findingFields } from '../http/finding-resources.js';
import * as resources from '../http/resources.js';
import { volumeLimits } from '../record-limits.js';
import { sourceErrorCode } from '../source-errors.js';

const { text } = resources;

const changed = z
  .array(text)
  .describe('Names of the changed fields, without duplicates. May be empty for an event that creates something.');
const cause = {
  job_id: text.optional().describe('The sync job that caused the event, if any.'),
  operation_id: text.optional().describe('The operation that caused the event, if any.'),
};
const values = z.union([text, z.array(text)]);
/** A changed field, with its previous and its new value. */
export const changedField = z.strictObject({
  field: text,
  from: values.optional().describe('The previous value; absent if there was none.'),
  to: values.optional().describe('The new value; absent if there is none.'),
});
const differences = {
  changes: z
    .array(changedField)
    .optional()
    .describe('The changed fields with their previous and new values. Absent after an erasure.'),
  values_left_out: z
    .literal(true)
    .optional()
    .describe(
      `The values of all changes exceed ${volumeLimits.changeBytes / 1_024} KiB: some changes have neither \`from\` nor \`to\`.`,
    ),
};
const factOf = <Shape extends z.ZodRawShape>(resource: z.ZodObject<Shape>) =>
  z.strictObject({ ...resource.partial().shape, ...cause, changed });

/**
 * Builds the `data` of an event: the resource as the API shows it when the event is rendered, with additional fields.
 * If the resource is gone by then, only its id.
 */
export const identityFact = factOf(resources.identity);
export const userFact = factOf(resources.user);
export const accountFact = factOf(resources.account);
export const machineIdentityFact = factOf(resources.machineIdentity);
/** The same facts with previous values, of events that say that something was updated or has another status. */
export const identityChangeFact = identityFact.extend(differences);
export const userChangeFact = userFact.extend(differences);
export const accountChangeFact = accountFact.extend(differences);
export const machineIdentityChangeFact = machineIdentityFact.extend(differences);
export const syncJobFact = z.strictObject({ job_id: text, connector_id: text, changed });
export const syncJobEndFact = syncJobFact.extend({
  status: resources.oneOf(['completed', 'completed_with_errors', 'failed', 'cancelled']),
  records_read: z.int(),
  records_applied: z.int(),
  records_failed: z.int(),
  records_deleted: z.int(),
  dry_run: z.boolean().optional().describe('The job was a dry run: it stored its plan and changed nothing.'),
  note: text.optional().describe('Explains the result to an operator.'),
  error: text.optional(),
  error_code: sourceErrorCode.optional(),
  reason: text.optional().describe('Reason of the cancellation.'),
});

const linkEvidence = {
  reason: text.optional().describe('Why the records belong to one identity, for operators.'),
  evidence: z
    .strictObject({
      kind: text.describe('keys: an equal match key | fuzzy: a fuzzy rule | operator: an operation'),
      rule: text.optional().describe('The match key, or the name of the fuzzy rule.'),
      score: z.number().optional().describe('Of a fuzzy rule, from 0 to 1.'),
      record_id: text,
      other_record_id: text.optional().describe('The user that the record was compared with.'),
    })
    .optional()
    .describe('The link that was decisive, without the values that were compared.'),
};
export const identityMerged = identityFact.extend({
  ...linkEvidence,
  merged_id: text.describe('The identity that was merged into another. Its id now returns the document of `into_id`.'),
  into_id: text.describe('The remaining identity, which the other fields describe.'),
});
export const identitySplit = identityFact.extend({
  from_id: text.describe('The identity that was split, which the other fields describe.'),
  new_id: text.describe('The new identity.'),
});
export const identityDeleted = identityFact.extend({
  erased: z.boolean().optional().describe('The identity was erased: no personal data remains.'),
});
export const lifecycleFact = identityFact.extend({
  reason: text
    .optional()
    .describe('termination_date | hire_date: the date that caused the event; absent if the source gave the status.'),
});
export const ownerChanged = machineIdentityFact.extend({
  handed_over: z.boolean().optional().describe('The owner left and the technical inheritor took over.'),
});
export const accountLinked = accountFact.extend(linkEvidence);
export const jobQuarantined = syncJobFact.extend({
  reason: text.describe(
    'Why the safeguard quarantined the job: its deletions, disables, new or changed people, or the records that it left out.',
  ),
  plan: text.describe(
    'Path of the plan in the operator API. Its siblings `release` and `cancel` decide about it, as do the commands `idsync jobs release` and `idsync jobs cancel`.',
  ),
});
/** The finding as the operator API shows it, without the record that it is about. */
export const findingFact = z.strictObject({
  ...findingFields,
  operation_id: cause.operation_id,
  changed,
});
export const groupFact = z.strictObject({
  ...resources.group.pick({ id: true, name: true, external_id: true, source_id: true }).shape,
  ...cause,
  changed,
});
export const groupUpdated = groupFact.extend(differences);
const members = (what: string) => z.array(text).describe(`Ids of users that ${what}.`);
export const groupMembersChanged = groupFact.extend({
  added: members('became members'),
  removed: members('are no longer members'),
});
export const webhookTest = z.strictObject({ webhook_id: text, message: text.optional(), changed });
