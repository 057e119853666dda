import { z } from 'zod';
import { type EventType, eventTypes } from '../fixed-values.js';
import { dateTime, oneOf, text } from '../http/resources.js';
import * as facts from './event-facts.js';
import * as sample from './example-resources.js';

/** `meaning`: when the event is sent, for receivers; `data` is the schema, and `example` a value of it. */
const event = (data: z.ZodObject, meaning: string, example: Record<string, unknown>) => ({ data, meaning, example });

export const eventCatalogue: Record<EventType, ReturnType<typeof event>> = {
  'identity.created': event(
    facts.identityFact,
    'A new identity was created. `changed` is empty, since all fields are new.',
    { ...sample.identity(), ...sample.byJob, changed: [] },
  ),
  'identity.updated': event(
    facts.identityChangeFact,
    'The display name or a winning attribute changed, or a user was linked or removed: `changed` has `users`. Status changes have separate events.',
    { ...sample.identity({ job_title: 'Lead' }), ...sample.byJob, ...sample.titleChanged },
  ),
  'identity.status_changed': event(facts.identityChangeFact, 'The status changed, except to `deleted`.', {
    ...sample.identity({ status: 'suspended' }),
    ...sample.byJob,
    ...sample.statusChanged('active', 'suspended'),
  }),
  'identity.merged': event(
    facts.identityMerged,
    'Two identities turned out to be one person. All records of `merged_id` now belong to `into_id`.',
    {
      ...sample.identity(),
      ...sample.byOperation,
      merged_id: sample.exampleId('identity', 2),
      into_id: sample.exampleId('identity'),
      reason: 'decided by an operator',
      evidence: { kind: 'operator', record_id: sample.exampleId('user', 2) },
      changed: [],
    },
  ),
  'identity.split': event(
    facts.identitySplit,
    'An identity turned out to be two people. `new_id` was split from `from_id`; the moved records have their own events.',
    {
      ...sample.identity(),
      ...sample.byOperation,
      from_id: sample.exampleId('identity'),
      new_id: sample.exampleId('identity', 2),
      changed: [],
    },
  ),
  'identity.deleted': event(
    facts.identityDeleted,
    'The identity is deleted: its users are gone, it has no records left, or it was erased.',
    { ...sample.identity({ status: 'deleted' }), ...sample.byJob, changed: ['status'] },
  ),
  'user.created': event(facts.userFact, 'A source lists a new person.', {
    ...sample.user,
    ...sample.byJob,
    changed: ['departments', 'email', 'first_name', 'last_name'],
  }),
  'user.updated': event(facts.userChangeFact, 'A source changed the data of a person.', {
    ...sample.user,
    job_title: 'Lead',
    ...sample.byJob,
    ...sample.titleChanged,
  }),
  'user.status_changed': event(
    facts.userChangeFact,
    'The status changed, except to `deleted`, by its source or over time (a hire date).',
    { ...sample.user, status: 'inactive', ...sample.byJob, ...sample.statusChanged('active', 'inactive') },
  ),
  'user.deleted': event(
    facts.userFact,
    'The source no longer lists the person, reports them as deleted, or they left longer ago than the grace period.',
    { ...sample.user, status: 'deleted', ...sample.byJob, changed: ['status'] },
  ),
  'account.created': event(facts.accountFact, 'A source lists a new account. `account.linked` reports its identity.', {
    ...sample.account,
    ...sample.byJob,
    changed: ['first_name', 'identifier', 'last_name'],
  }),
  'account.updated': event(
    facts.accountChangeFact,
    'A source changed the data of an account, or it became `active` or `locked`.',
    { ...sample.account, job_title: 'Lead', ...sample.byJob, ...sample.titleChanged },
  ),
  'account.linked': event(
    facts.accountLinked,
    'The account was linked to an identity, or to a different one: `person_id`.',
    {
      ...sample.account,
      ...sample.byJob,
      reason: 'email is the same',
      evidence: {
        kind: 'keys',
        rule: 'email',
        record_id: sample.exampleId('account'),
        other_record_id: sample.exampleId('user'),
      },
      changed: ['person_id'],
    },
  ),
  'account.unlinked': event(facts.accountFact, 'The account is no longer linked to an identity.', {
    ...sample.unlinked,
    ...sample.byOperation,
    changed: ['person_id'],
  }),
  'account.disabled': event(facts.accountFact, 'The status is `disabled`.', {
    ...sample.account,
    status: 'disabled',
    ...sample.byJob,
    changed: ['status'],
  }),
  'account.deleted': event(facts.accountFact, 'The source no longer lists the account, or reports it as deleted.', {
    ...sample.account,
    status: 'deleted',
    ...sample.byJob,
    changed: ['status'],
  }),
  'machine_identity.created': event(facts.machineIdentityFact, 'A source lists a new machine identity.', {
    ...sample.machine,
    ...sample.byJob,
    changed: ['classification', 'display_name', 'owned_by'],
  }),
  'machine_identity.updated': event(
    facts.machineIdentityChangeFact,
    'A source changed its data, a person it refers to was found, or its status became `active` or `disabled`.',
    {
      ...sample.machine,
      classification: 'bot',
      ...sample.byJob,
      changes: [{ field: 'classification', from: 'ci_cd', to: 'bot' }],
      changed: ['classification'],
    },
  ),
  'machine_identity.owner_changed': event(facts.ownerChanged, 'The responsible identity changed, or there is none.', {
    ...sample.machine,
    owned_by: sample.exampleId('identity', 3),
    ...sample.byJob,
    handed_over: true,
    changed: ['identity_id', 'owned_by'],
  }),
  'machine_identity.orphaned': event(facts.machineIdentityFact, 'It is in use and has no active owner.', {
    ...sample.ownerless,
    risk_factors: ['no_active_owner'],
    ...sample.byJob,
    changed: ['status'],
  }),
  'machine_identity.risk_changed': event(
    facts.machineIdentityFact,
    'The risk score changed; `risk_factors` lists its parts.',
    {
      ...sample.machine,
      risk_score: 20,
      risk_factors: ['long_lived_secret'],
      ...sample.byJob,
      changed: ['risk_score'],
    },
  ),
  'machine_identity.decommissioned': event(
    facts.machineIdentityFact,
    'The source no longer lists it, or reports it as decommissioned.',
    { ...sample.machine, status: 'decommissioned', ...sample.byJob, changed: ['status'] },
  ),
  'lifecycle.joiner': event(facts.lifecycleFact, 'A person became active for the first time.', {
    ...sample.identity(),
    ...sample.byJob,
    changed: [],
  }),
  'lifecycle.mover': event(facts.identityFact, 'The department, job title or manager of a person changed.', {
    ...sample.identity({ job_title: 'Lead' }),
    ...sample.byJob,
    changed: ['job_title'],
  }),
  'lifecycle.leaver': event(
    facts.lifecycleFact,
    'A person who was active or suspended no longer has access, also if the hire date was moved to the future.',
    {
      ...sample.identity({ status: 'inactive' }),
      reason: 'termination_date',
      changed: ['status'],
    },
  ),
  'lifecycle.rejoiner': event(facts.lifecycleFact, 'A person who had left, or was pending again, is active again.', {
    ...sample.identity(),
    ...sample.byJob,
    changed: ['status'],
  }),
  'sync.job.started': event(facts.syncJobFact, 'A job began to read its source.', { ...sample.job, changed: [] }),
  'sync.job.completed': event(
    facts.syncJobEndFact,
    'A job read its source completely and everything is applied; `status` shows whether records were left out.',
    { ...sample.job, status: 'completed', ...sample.ended },
  ),
  'sync.job.failed': event(
    facts.syncJobEndFact,
    'A job could not read its source completely. The records that it had read are applied, and nothing was deleted.',
    {
      ...sample.job,
      status: 'failed',
      ...sample.ended,
      records_deleted: 0,
      error: 'the file ends within quotes',
    },
  ),
  'sync.job.quarantined': event(
    facts.jobQuarantined,
    'The safeguard quarantined the job until an operator decides, because it would delete, disable, create or change too many records, or left out too many.',
    {
      ...sample.job,
      reason: 'quarantined: the run would delete 25 of 100 records, more than 10 % and more than 20',
      plan: `/admin/v1/tenants/${sample.exampleId('tenant')}/sync-jobs/${sample.exampleId('job')}/plan`,
      changed: [],
    },
  ),
  'sync.job.cancelled': event(facts.syncJobEndFact, 'A job was cancelled. Changes that it had applied remain.', {
    ...sample.job,
    status: 'cancelled',
    ...sample.ended,
    records_deleted: 0,
    reason: 'wrong file',
  }),
  'webhook.test': event(
    facts.webhookTest,
    'An operator tests this webhook. It is sent to this webhook only, regardless of its `events`.',
    { webhook_id: sample.exampleId('webhook'), message: 'hello', changed: [] },
  ),
  'finding.opened': event(
    facts.findingFact,
    'Something needs the attention of an operator: `kind` says what, `evidence` why. Sent again when an acceptance ends.',
    sample.finding,
  ),
  'finding.resolved': event(facts.findingFact, 'The reason of a finding is gone.', {
    ...sample.finding,
    state: 'resolved',
    resolved_at: sample.happened,
  }),
  'group.created': event(facts.groupFact, 'A group has its first member. `group.members_changed` names its members.', {
    ...sample.group,
    ...sample.byJob,
    changed: [],
  }),
  'group.members_changed': event(
    facts.groupMembersChanged,
    'Users became members of a group, or are no longer. `added` and `removed` have at most 200 ids together; a larger change has several events.',
    {
      ...sample.group,
      ...sample.byJob,
      added: [sample.exampleId('user'), sample.exampleId('user', 2)],
      removed: [sample.exampleId('user', 3)],
      changed: ['members'],
    },
  ),
  'group.deleted': event(
    facts.groupFact,
    'A group has no members left. If a user names it again, it is created with the same id.',
    { ...sample.group, ...sample.byJob, changed: [] },
  ),
  'group.updated': event(
    facts.groupUpdated,
    'A group has another name in its source. Its id, its key and its members stay.',
    {
      ...sample.group,
      ...sample.byJob,
      changed: ['name'],
      changes: [{ field: 'name', from: 'Development', to: sample.group.name }],
    },
  ),
  'webhook.disabled': event(
    facts.webhookTest.omit({ message: true }).extend({ reason: oneOf(['gone', 'failing']) }),
    'The service disabled a webhook: its receiver answered 410 (`gone`), or nothing succeeded for five days (`failing`). The disabled webhook does not receive it.',
    { webhook_id: sample.exampleId('webhook'), reason: 'gone', changed: [] },
  ),
};

/**
 * Schema of a webhook's request body. It is strict, so that tests detect undocumented fields; receivers must ignore
 * unknown fields.
 */
export function eventBody(type: EventType): z.ZodObject {
  return bodies[type];
}

const bodies = Object.fromEntries(
  Object.entries(eventCatalogue).map(([type, { data }]) => [
    type,
    z.strictObject({
      id: text.describe('The id of the event, the same as the header `webhook-id`.'),
      type: z.literal(type),
      timestamp: dateTime.describe('When the event occurred.'),
      tenant_id: text,
      sequence: z.int().min(1).describe('Position among all events of the tenant, in commit order and without gaps.'),
      data,
    }),
  ]),
) as unknown as Record<EventType, z.ZodObject>;

/** Returns an example body of this type. */
export function eventExample(type: EventType) {
  const place = eventTypes.indexOf(type) + 1;
  return {
    id: sample.exampleId('event', place),
    type,
    timestamp: sample.happened,
    tenant_id: sample.exampleId('tenant'),
    sequence: 40 + place,
    data: eventCatalogue[type].example,
  };
}
