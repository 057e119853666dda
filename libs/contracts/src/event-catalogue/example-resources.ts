import { encodeId, type IdKind } from '../ids.js';

export const exampleId = (kind: IdKind, number = 1) =>
  encodeId(kind, `019c13a4-7b00-7000-8000-${number.toString(16).padStart(12, '0')}`);

export const happened = '2026-01-31T12:00:00.000Z';
const times = { created_at: '2025-03-01T08:00:00.000Z', updated_at: happened };
const person = { display_name: 'Ann Lee', first_name: 'Ann', last_name: 'Lee' };
export const byJob = { job_id: exampleId('job') };
export const byOperation = { operation_id: exampleId('operation') };

export const user = {
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
export const account = {
  id: exampleId('account'),
  external_id: 'cn=alee,dc=example,dc=com',
  identifier: 'alee',
  ...person,
  status: 'active',
  source_system_id: exampleId('connector', 2),
  person_id: exampleId('identity'),
  last_synced_at: happened,
  ...times,
  groups: ['VPN'],
};
export const machine = {
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
export const identity = (more: { status?: string; job_title?: string } = {}) => {
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

export { ownerless, unlinked };
export const job = { job_id: exampleId('job'), connector_id: exampleId('connector') };
export const ended = {
  records_read: 1200,
  records_applied: 1200,
  records_failed: 0,
  records_deleted: 3,
  changed: ['status'],
};

export const titleChanged = { changes: [{ field: 'job_title', from: 'Engineer', to: 'Lead' }], changed: ['job_title'] };
export const statusChanged = (from: string, to: string) => ({
  changes: [{ field: 'status', from, to }],
  changed: ['status'],
});

export const finding = {
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

export const group = {
  id: exampleId('group'),
  name: 'Engineering',
  external_id: '8f3c1f5e-6a1d-4b8e-9a57-0d2f7c1b6e42',
  source_id: exampleId('connector'),
};
