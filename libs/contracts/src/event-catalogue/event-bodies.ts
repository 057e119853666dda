import { z } from 'zod';
import type { EventType } from '../events.js';
import * as resources from '../http/resources.js';

const { text, dateTime } = resources;

const changed = z
  .array(text)
  .describe('The fields that changed, each once; where something came about it may be empty.');
const cause = {
  job_id: text.optional().describe('The sync job that brought it about, if one did.'),
  operation_id: text.optional().describe("The operator's act that brought it about, if one did."),
};
const factOf = <Shape extends z.ZodRawShape>(resource: z.ZodObject<Shape>) =>
  z.strictObject({ ...resource.shape, ...cause, changed });

/**
 * What `data` is: the resource as the API shows it, as it is when the event is rendered, and what the event adds to it. Of a resource
 * that has gone by then there is no more than its id.
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
  dry_run: z.boolean().optional().describe('Nothing was changed: what would have been is written down.'),
  note: text.optional().describe('What an operator should know of the end.'),
  error: text.optional(),
  reason: text.optional().describe('Why it was cancelled.'),
});

const identityMerged = identityFact.extend({
  merged_id: text.describe('The identity that was joined to another, whose document its id answers with now.'),
  into_id: text.describe('The identity that goes on, which the rest shows.'),
});
const identitySplit = identityFact.extend({
  from_id: text.describe('The identity that was parted, which the rest shows.'),
  new_id: text.describe('The identity that parted from it.'),
});
const identityDeleted = identityFact.extend({
  erased: z.boolean().optional().describe('It was erased: what is left says nothing of the person.'),
});
const ownerChanged = machineIdentityFact.extend({
  handed_over: z.boolean().optional().describe('The owner left and the technical inheritor took over.'),
});
const jobQuarantined = syncJobFact.extend({ reason: text.describe('What the safeguard held back.') });
const webhookTest = z.strictObject({ webhook_id: text, message: text.optional(), changed });

/** What a receiver is told with each kind of event. */
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

/** The whole body of a webhook's request: strict, since what is sent is tested against it. Receivers pass over what they do not know. */
export function eventBody(type: EventType): z.ZodObject {
  return z.strictObject({
    id: text.describe('The id of the event, the same as the header `webhook-id`.'),
    type: z.literal(type),
    timestamp: dateTime.describe('When it happened.'),
    tenant_id: text,
    sequence: z.int().min(1).describe('Its place among all events of the tenant, in the order of their commits.'),
    data: eventData[type],
  });
}
