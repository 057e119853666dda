import type { EventType } from '../events.js';

/** When each kind is sent, for those who receive it. */
export const eventMeanings: Record<EventType, string> = {
  'identity.created': 'Somebody is in the directory who was not. `changed` is empty: everything is new.',
  'identity.updated': 'The display name or a winning attribute is another one. A status has a kind of its own.',
  'identity.status_changed': 'The status is another one, but for `deleted`.',
  'identity.merged':
    'Two identities turned out to be one person. What belonged to `merged_id` belongs to `into_id` now.',
  'identity.split':
    'An identity turned out to be two people. `new_id` parted from `from_id`; its records say so themselves.',
  'identity.deleted': 'Nobody is meant by it any more: its users are gone, it has no records left, or it was erased.',
  'user.created': 'A source lists a person it did not list before.',
  'user.updated': 'A source says something else of a person.',
  'user.status_changed': 'The status is another one, but for `deleted`: by its source, or by time (a hire date).',
  'user.deleted':
    'The source lists the person no more, says that they are deleted, or they left longer ago than the grace period.',
  'account.created': 'A source lists an account it did not list before. Who it belongs to is told by `account.linked`.',
  'account.updated': 'A source says something else of an account, or it became `active` or `locked`.',
  'account.linked': 'The account belongs to an identity, or to another one than before: `person_id`.',
  'account.unlinked': 'The account belongs to nobody any more.',
  'account.disabled': 'The status is `disabled`.',
  'account.deleted': 'The source lists the account no more, or says that it is deleted.',
  'machine_identity.created': 'A source lists a machine identity it did not list before.',
  'machine_identity.updated':
    'A source says something else of it, who it names became known, or its status became `active` or `disabled`.',
  'machine_identity.owner_changed': 'Another identity answers for it, or nobody does.',
  'machine_identity.orphaned': 'It is in use, and no active person owns it.',
  'machine_identity.risk_changed': 'The risk score is another one; `risk_factors` says what it is made of.',
  'machine_identity.decommissioned': 'The source lists it no more, or says that it is out of service.',
  'lifecycle.joiner': 'A person became active for the first time.',
  'lifecycle.mover': 'A person has another department, job title or manager.',
  'lifecycle.leaver': 'A person who was active or suspended has no access any more.',
  'lifecycle.rejoiner': 'A person who had left is active again.',
  'sync.job.started': 'A job began to read its source.',
  'sync.job.completed':
    'A job read its source to the end and everything is applied; `status` tells whether records were left out.',
  'sync.job.failed':
    'A job could not read its source to the end. What it had read is applied, and nothing was deleted.',
  'sync.job.quarantined': 'A safeguard held back what the job would delete or disable: an operator decides.',
  'sync.job.cancelled': 'A job was cancelled. What it had applied stays.',
  'webhook.test': 'An operator tests this webhook. It is sent whatever `events` says, and to no other webhook.',
};
