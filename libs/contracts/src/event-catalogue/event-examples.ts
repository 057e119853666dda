import { type EventType, eventTypes } from '../events.js';
import { encodeId, type IdKind } from '../ids.js';

export const exampleId = (kind: IdKind, number = 1) =>
  encodeId(kind, `019c13a4-7b00-7000-8000-${number.toString(16).padStart(12, '0')}`);

const happened = '2026-01-31T12:00:00.000Z';
const times = { created_at: '2025-03-01T08:00:00.000Z', updated_at: happened };
const person = { display_name: 'Ann Lee', first_name: 'Ann', last_name: 'Lee' };
const byJob = { job_id: exampleId('job') };
const byOperation = { operation_id: exampleId('operation') };

const user = {
  id: exampleId('user'),
  external_id: '1007',
  ...person,
  email: 'ann.lee@example.com',
  job_title: 'Engineer',
  status: 'active',
  tenant_id: exampleId('tenant'),
  hire_date: '2025-03-01T00:00:00.000Z',
  ...times,
  roles: [],
  groups: [],
  departments: ['Research'],
};
const account = {
  id: exampleId('account'),
  external_id: 'cn=alee,dc=example,dc=com',
  identifier: 'alee',
  ...person,
  status: 'active',
  source_system_id: exampleId('connector', 2),
  person_id: exampleId('identity'),
  last_synced_at: happened,
  ...times,
};
const machine = {
  id: exampleId('machineIdentity'),
  display_name: 'deploy-bot',
  classification: 'ci_cd',
  owned_by: exampleId('identity'),
  technical_inheritor: exampleId('identity', 3),
  risk_score: 0,
  risk_factors: [] as string[],
  status: 'active',
  ...times,
};
/** An identity with one user; short, because it is an example. */
const identity = (more: { status?: string; job_title?: string } = {}) => {
  const now = { ...user, ...more };
  const title = { identity_id: exampleId('identity'), field_name: 'job_title', field_value: now.job_title };
  const source = { source_type: 'csv', source_id: exampleId('connector'), priority: 10, updated_at: happened };
  return {
    id: exampleId('identity'),
    display_name: user.display_name,
    status: now.status,
    ...times,
    attributes: [{ ...title, ...source }],
    users: [now],
    accounts: [],
    machine_identities: [],
  };
};
/** The resources of the examples, as the API shows them. */
export const exampleResources = { user, account, machineIdentity: machine, identity: identity() };

const { person_id: _personId, ...unlinked } = account;
const { technical_inheritor: _noInheritor, ...ownerless } = { ...machine, status: 'orphaned', risk_score: 30 };
const job = { job_id: exampleId('job'), connector_id: exampleId('connector') };
const ended = { records_read: 1200, records_applied: 1200, records_failed: 0, records_deleted: 3, changed: ['status'] };

const titleChanged = { changes: [{ field: 'job_title', from: 'Engineer', to: 'Lead' }], changed: ['job_title'] };
const statusChanged = (from: string, to: string) => ({ changes: [{ field: 'status', from, to }], changed: ['status'] });

const finding = {
  id: exampleId('finding'),
  kind: 'leaver_with_account',
  state: 'open',
  subject_id: exampleId('account'),
  identity_id: exampleId('identity'),
  evidence: {
    account_status: 'active',
    identity_id: exampleId('identity'),
    identity_status: 'inactive',
    left_at: '2026-01-30T00:00:00.000Z',
  },
  opened_at: happened,
  changed: ['state'],
};

const group = { id: exampleId('group'), name: 'Engineering', source_id: exampleId('connector') };

const data: Record<EventType, Record<string, unknown>> = {
  'identity.created': { ...identity(), ...byJob, changed: [] },
  'identity.updated': { ...identity({ job_title: 'Lead' }), ...byJob, ...titleChanged },
  'identity.status_changed': {
    ...identity({ status: 'suspended' }),
    ...byJob,
    ...statusChanged('active', 'suspended'),
  },
  'identity.merged': {
    ...identity(),
    ...byOperation,
    merged_id: exampleId('identity', 2),
    into_id: exampleId('identity'),
    reason: 'decided by an operator',
    evidence: { kind: 'operator', record_id: exampleId('user', 2) },
    changed: [],
  },
  'identity.split': {
    ...identity(),
    ...byOperation,
    from_id: exampleId('identity'),
    new_id: exampleId('identity', 2),
    changed: [],
  },
  'identity.deleted': { ...identity({ status: 'deleted' }), ...byJob, changed: ['status'] },
  'user.created': { ...user, ...byJob, changed: ['departments', 'email', 'first_name', 'last_name'] },
  'user.updated': { ...user, job_title: 'Lead', ...byJob, ...titleChanged },
  'user.status_changed': { ...user, status: 'inactive', ...byJob, ...statusChanged('active', 'inactive') },
  'user.deleted': { ...user, status: 'deleted', ...byJob, changed: ['status'] },
  'account.created': { ...account, ...byJob, changed: ['first_name', 'identifier', 'last_name'] },
  'account.updated': { ...account, job_title: 'Lead', ...byJob, ...titleChanged },
  'account.linked': {
    ...account,
    ...byJob,
    reason: 'email is the same',
    evidence: { kind: 'keys', rule: 'email', record_id: exampleId('account'), other_record_id: exampleId('user') },
    changed: ['person_id'],
  },
  'account.unlinked': { ...unlinked, ...byOperation, changed: ['person_id'] },
  'account.disabled': { ...account, status: 'disabled', ...byJob, changed: ['status'] },
  'account.deleted': { ...account, status: 'deleted', ...byJob, changed: ['status'] },
  'machine_identity.created': { ...machine, ...byJob, changed: ['classification', 'display_name', 'owned_by'] },
  'machine_identity.updated': {
    ...machine,
    classification: 'bot',
    ...byJob,
    changes: [{ field: 'classification', from: 'ci_cd', to: 'bot' }],
    changed: ['classification'],
  },
  'machine_identity.owner_changed': {
    ...machine,
    owned_by: exampleId('identity', 3),
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
  'lifecycle.leaver': {
    ...identity({ status: 'inactive' }),
    reason: 'termination_date',
    changed: ['status'],
  },
  'lifecycle.rejoiner': { ...identity(), ...byJob, changed: ['status'] },
  'sync.job.started': { ...job, changed: [] },
  'sync.job.completed': { ...job, status: 'completed', ...ended },
  'sync.job.failed': { ...job, status: 'failed', ...ended, records_deleted: 0, error: 'the file ends within quotes' },
  'sync.job.quarantined': {
    ...job,
    reason: 'quarantined: the run would delete 25 of 100 records, more than 10 % and more than 20',
    plan: `/admin/v1/tenants/${exampleId('tenant')}/sync-jobs/${exampleId('job')}/plan`,
    changed: [],
  },
  'sync.job.cancelled': { ...job, status: 'cancelled', ...ended, records_deleted: 0, reason: 'wrong file' },
  'webhook.test': { webhook_id: exampleId('webhook'), message: 'hello', changed: [] },
  'finding.opened': finding,
  'finding.resolved': { ...finding, state: 'resolved', resolved_at: happened },
  'group.created': { ...group, ...byJob, changed: [] },
  'group.members_changed': {
    ...group,
    ...byJob,
    added: [exampleId('user'), exampleId('user', 2)],
    removed: [exampleId('user', 3)],
    changed: ['members'],
  },
  'group.deleted': { ...group, ...byJob, changed: [] },
};

/** Returns an example body of this type. */
export function eventExample(type: EventType) {
  const place = eventTypes.indexOf(type) + 1;
  return {
    id: exampleId('event', place),
    type,
    timestamp: happened,
    tenant_id: exampleId('tenant'),
    sequence: 40 + place,
    data: data[type],
  };
}
