import { z } from 'zod';
import type { EventType } from '../events.js';
import * as resources from '../http/resources.js';
import { sourceErrorCode } from '../source-errors.js';

const { text, dateTime } = resources;

const changed = z
  .array(text)
  .describe('Names of the changed fields, without duplicates. May be empty for an event that creates something.');
const cause = {
  job_id: text.optional().describe('The sync job that caused the event, if any.'),
  operation_id: text.optional().describe('The operation that caused the event, if any.'),
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
export const syncJobFact = z.strictObject({ job_id: text, connector_id: text, changed });
export const syncJobEndFact = syncJobFact.extend({
  status: text.describe('completed | completed_with_errors | failed | cancelled'),
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

const identityMerged = identityFact.extend({
  merged_id: text.describe('The identity that was merged into another. Its id now returns the document of `into_id`.'),
  into_id: text.describe('The remaining identity, which the other fields describe.'),
});
const identitySplit = identityFact.extend({
  from_id: text.describe('The identity that was split, which the other fields describe.'),
  new_id: text.describe('The new identity.'),
});
const identityDeleted = identityFact.extend({
  erased: z.boolean().optional().describe('The identity was erased: no personal data remains.'),
});
const ownerChanged = machineIdentityFact.extend({
  handed_over: z.boolean().optional().describe('The owner left and the technical inheritor took over.'),
});
const jobQuarantined = syncJobFact.extend({
  reason: text.describe(
    'Why the safeguard quarantined the job: its deletions, its disables, or the records that it left out.',
  ),
});
const webhookTest = z.strictObject({ webhook_id: text, message: text.optional(), changed });

/** Schema of `data` by event type. */
export const eventData = {
  'identity.created': identityFact,
  'identity.updated': identityFact,
  'identity.status_changed': identityFact,
  'identity.merged': identityMerged,
  'identity.split': identitySplit,
  'identity.deleted': identityDeleted,
  'user.created': userFact,
  'user.updated': userFact,
  'user.status_changed': userFact,
  'user.deleted': userFact,
  'account.created': accountFact,
  'account.updated': accountFact,
  'account.linked': accountFact,
  'account.unlinked': accountFact,
  'account.disabled': accountFact,
  'account.deleted': accountFact,
  'machine_identity.created': machineIdentityFact,
  'machine_identity.updated': machineIdentityFact,
  'machine_identity.owner_changed': ownerChanged,
  'machine_identity.orphaned': machineIdentityFact,
  'machine_identity.risk_changed': machineIdentityFact,
  'machine_identity.decommissioned': machineIdentityFact,
  'lifecycle.joiner': identityFact,
  'lifecycle.mover': identityFact,
  'lifecycle.leaver': identityFact,
  'lifecycle.rejoiner': identityFact,
  'sync.job.started': syncJobFact,
  'sync.job.completed': syncJobEndFact,
  'sync.job.failed': syncJobEndFact,
  'sync.job.quarantined': jobQuarantined,
  'sync.job.cancelled': syncJobEndFact,
  'webhook.test': webhookTest,
} as const satisfies Record<EventType, z.ZodObject>;

/**
 * Schema of a webhook's request body. It is strict, so that tests detect undocumented fields; receivers must ignore
 * unknown fields.
 */
export function eventBody(type: EventType): z.ZodObject {
  return z.strictObject({
    id: text.describe('The id of the event, the same as the header `webhook-id`.'),
    type: z.literal(type),
    timestamp: dateTime.describe('When the event occurred.'),
    tenant_id: text,
    sequence: z.int().min(1).describe('Position among all events of the tenant, in commit order.'),
    data: eventData[type],
  });
}
