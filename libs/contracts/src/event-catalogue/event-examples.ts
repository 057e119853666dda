import { type EventType, eventTypes } from '../events.js';
import { encodeId, type IdKind } from '../ids.js';

const id = (kind: IdKind, number = 1) =>
  encodeId(kind, `019c13a4-7b00-7000-8000-${number.toString(16).padStart(12, '0')}`);

const happened = '2026-01-31T12:00:00.000Z';
const times = { created_at: '2025-03-01T08:00:00.000Z', updated_at: happened };
const person = { display_name: 'Ann Lee', first_name: 'Ann', last_name: 'Lee' };
const byJob = { job_id: id('job') };
const byOperation = { operation_id: id('operation') };

const user = {
  id: id('user'),
  external_id: '1007',
  ...person,
  email: 'ann.lee@example.com',
  job_title: 'Engineer',
  status: 'active',
  tenant_id: id('tenant'),
  hire_date: '2025-03-01T00:00:00.000Z',
  ...times,
  roles: [],
  groups: [],
  departments: ['Research'],
};
const account = {
  id: id('account'),
  external_id: 'cn=alee,dc=example,dc=com',
  identifier: 'alee',
  ...person,
  status: 'active',
  source_system_id: id('connector', 2),
  person_id: id('identity'),
  last_synced_at: happened,
  ...times,
};
const machine = {
  id: id('machineIdentity'),
  display_name: 'deploy-bot',
  classification: 'ci_cd',
  owned_by: id('identity'),
  technical_inheritor: id('identity', 3),
  risk_score: 0,
  risk_factors: [] as string[],
  status: 'active',
  ...times,
};
/** An identity with one user; short, because it is an example. */
const identity = (more: { status?: string; job_title?: string } = {}) => {
  const now = { ...user, ...more };
  const title = { identity_id: id('identity'), field_name: 'job_title', field_value: now.job_title };
  const source = { source_type: 'csv', source_id: id('connector'), priority: 10, updated_at: happened };
  return {
    id: id('identity'),
    display_name: user.display_name,
    status: now.status,
    ...times,
    attributes: [{ ...title, ...source }],
    users: [now],
    accounts: [],
    machine_identities: [],
  };
};
const { person_id: _personId, ...unlinked } = account;
const { technical_inheritor: _noInheritor, ...ownerless } = { ...machine, status: 'orphaned', risk_score: 30 };
const job = { job_id: id('job'), connector_id: id('connector') };
const ended = { records_read: 1200, records_applied: 1200, records_failed: 0, records_deleted: 3, changed: ['status'] };

const data: Record<EventType, Record<string, unknown>> = {
  'identity.created': { ...identity(), ...byJob, changed: [] },
  'identity.updated': { ...identity({ job_title: 'Lead' }), ...byJob, changed: ['job_title'] },
  'identity.status_changed': { ...identity({ status: 'suspended' }), ...byJob, changed: ['status'] },
  'identity.merged': {
    ...identity(),
    ...byOperation,
    merged_id: id('identity', 2),
    into_id: id('identity'),
    changed: [],
  },
  'identity.split': { ...identity(), ...byOperation, from_id: id('identity'), new_id: id('identity', 2), changed: [] },
  'identity.deleted': { ...identity({ status: 'deleted' }), ...byJob, changed: ['status'] },
  'user.created': { ...user, ...byJob, changed: ['departments', 'email', 'first_name', 'last_name'] },
  'user.updated': { ...user, job_title: 'Lead', ...byJob, changed: ['job_title'] },
  'user.status_changed': { ...user, status: 'inactive', ...byJob, changed: ['status'] },
  'user.deleted': { ...user, status: 'deleted', ...byJob, changed: ['status'] },
  'account.created': { ...account, ...byJob, changed: ['first_name', 'identifier', 'last_name'] },
  'account.updated': { ...account, job_title: 'Lead', ...byJob, changed: ['job_title'] },
  'account.linked': { ...account, ...byJob, changed: ['person_id'] },
  'account.unlinked': { ...unlinked, ...byOperation, changed: ['person_id'] },
  'account.disabled': { ...account, status: 'disabled', ...byJob, changed: ['status'] },
  'account.deleted': { ...account, status: 'deleted', ...byJob, changed: ['status'] },
  'machine_identity.created': { ...machine, ...byJob, changed: ['classification', 'display_name', 'owned_by'] },
  'machine_identity.updated': { ...machine, classification: 'bot', ...byJob, changed: ['classification'] },
  'machine_identity.owner_changed': {
    ...machine,
    owned_by: id('identity', 3),
    ...byJob,
    handed_over: true,
    changed: ['identity_id', 'owned_by'],
  },
  'machine_identity.orphaned': { ...ownerless, risk_factors: ['no_active_owner'], ...byJob, changed: ['status'] },
  'machine_identity.risk_changed': {
    ...machine,
    risk_score: 20,
    risk_factors: ['long_lived_secret'],
    ...byJob,
    changed: ['risk_score'],
  },
  'machine_identity.decommissioned': { ...machine, status: 'decommissioned', ...byJob, changed: ['status'] },
  'lifecycle.joiner': { ...identity(), ...byJob, changed: [] },
  'lifecycle.mover': { ...identity({ job_title: 'Lead' }), ...byJob, changed: ['job_title'] },
  'lifecycle.leaver': { ...identity({ status: 'inactive' }), ...byJob, changed: ['status'] },
  'lifecycle.rejoiner': { ...identity(), ...byJob, changed: ['status'] },
  'sync.job.started': { ...job, changed: [] },
  'sync.job.completed': { ...job, status: 'completed', ...ended },
  'sync.job.failed': { ...job, status: 'failed', ...ended, records_deleted: 0, error: 'the file ends within quotes' },
  'sync.job.quarantined': {
    ...job,
    reason: 'quarantined: the run would delete 25 of 100 records, more than 10 % and more than 20',
    changed: [],
  },
  'sync.job.cancelled': { ...job, status: 'cancelled', ...ended, records_deleted: 0, reason: 'wrong file' },
  'webhook.test': { webhook_id: id('webhook'), message: 'hello', changed: [] },
};

/** Returns an example body of this type. */
export function eventExample(type: EventType) {
  const place = eventTypes.indexOf(type) + 1;
  return {
    id: id('event', place),
    type,
    timestamp: happened,
    tenant_id: id('tenant'),
    sequence: 40 + place,
    data: data[type],
  };
}
