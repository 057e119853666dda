import type { EventType } from '../events.js';

/** When each event is sent, for receivers. */
export const eventMeanings: Record<EventType, string> = {
  'identity.created': 'A new identity was created. `changed` is empty, since all fields are new.',
  'identity.updated':
    'The display name or a winning attribute changed, or a user was linked or removed: `changed` has `users`. Status changes have separate events.',
  'identity.status_changed': 'The status changed, except to `deleted`.',
  'identity.merged': 'Two identities turned out to be one person. All records of `merged_id` now belong to `into_id`.',
  'identity.split':
    'An identity turned out to be two people. `new_id` was split from `from_id`; the moved records have their own events.',
  'identity.deleted': 'The identity is deleted: its users are gone, it has no records left, or it was erased.',
  'user.created': 'A source lists a new person.',
  'user.updated': 'A source changed the data of a person.',
  'user.status_changed': 'The status changed, except to `deleted`, by its source or over time (a hire date).',
  'user.deleted':
    'The source no longer lists the person, reports them as deleted, or they left longer ago than the grace period.',
  'account.created': 'A source lists a new account. `account.linked` reports its identity.',
  'account.updated': 'A source changed the data of an account, or it became `active` or `locked`.',
  'account.linked': 'The account was linked to an identity, or to a different one: `person_id`.',
  'account.unlinked': 'The account is no longer linked to an identity.',
  'account.disabled': 'The status is `disabled`.',
  'account.deleted': 'The source no longer lists the account, or reports it as deleted.',
  'machine_identity.created': 'A source lists a new machine identity.',
  'machine_identity.updated':
    'A source changed its data, a person it refers to was found, or its status became `active` or `disabled`.',
  'machine_identity.owner_changed': 'The responsible identity changed, or there is none.',
  'machine_identity.orphaned': 'It is in use and has no active owner.',
  'machine_identity.risk_changed': 'The risk score changed; `risk_factors` lists its parts.',
  'machine_identity.decommissioned': 'The source no longer lists it, or reports it as decommissioned.',
  'lifecycle.joiner': 'A person became active for the first time.',
  'lifecycle.mover': 'The department, job title or manager of a person changed.',
  'lifecycle.leaver':
    'A person who was active or suspended no longer has access, also if the hire date was moved to the future.',
  'lifecycle.rejoiner': 'A person who had left, or was pending again, is active again.',
  'sync.job.started': 'A job began to read its source.',
  'sync.job.completed':
    'A job read its source completely and everything is applied; `status` shows whether records were left out.',
  'sync.job.failed':
    'A job could not read its source completely. The records that it had read are applied, and nothing was deleted.',
  'sync.job.quarantined':
    'The safeguard quarantined the job until an operator decides, because it would delete, disable, create or change too many records, or left out too many.',
  'sync.job.cancelled': 'A job was cancelled. Changes that it had applied remain.',
  'webhook.test': 'An operator tests this webhook. It is sent to this webhook only, regardless of its `events`.',
  'finding.opened':
    'Something needs the attention of an operator: `kind` says what, `evidence` why. Sent again when an acceptance ends.',
  'finding.resolved': 'The reason of a finding is gone.',
  'group.created': 'A group has its first member. `group.members_changed` names its members.',
  'group.members_changed':
    'Users became members of a group, or are no longer. `added` and `removed` have at most 200 ids together; a larger change has several events.',
  'group.deleted': 'A group has no members left. If a user names it again, it is created with the same id.',
};
