/** The tables of the interface specification, repeated here so that the schemas cannot drift from them. */
export type FieldType = 'string' | 'integer' | 'boolean' | 'date-time' | 'strings' | 'object' | 'list';

const times = { created_at: 'date-time', updated_at: 'date-time' } as const;

export const specTables = {
  Identity: {
    id: 'string',
    display_name: 'string',
    status: 'string',
    ...times,
    attributes: 'list',
    users: 'list',
    accounts: 'list',
    machine_identities: 'list',
  },
  Attribute: {
    identity_id: 'string',
    field_name: 'string',
    field_value: 'string',
    source_type: 'string',
    source_id: 'string',
    priority: 'integer',
    updated_at: 'date-time',
  },
  User: {
    id: 'string',
    external_id: 'string',
    user_principal_name: 'string',
    display_name: 'string',
    email: 'string',
    job_title: 'string',
    first_name: 'string',
    last_name: 'string',
    status: 'string',
    tenant_id: 'string',
    hire_date: 'date-time',
    termination_date: 'date-time',
    manager_id: 'string',
    ...times,
    roles: 'strings',
    groups: 'strings',
    departments: 'strings',
  },
  Account: {
    id: 'string',
    external_id: 'string',
    identifier: 'string',
    display_name: 'string',
    first_name: 'string',
    last_name: 'string',
    job_title: 'string',
    status: 'string',
    source_system_id: 'string',
    person_id: 'string',
    // An addition to the specification, which permits additional fields.
    groups: 'strings',
    last_synced_at: 'date-time',
    ...times,
  },
  MachineIdentity: {
    id: 'string',
    account_id: 'string',
    display_name: 'string',
    classification: 'string',
    owned_by: 'string',
    manager_id: 'string',
    technical_inheritor: 'string',
    risk_score: 'integer',
    // An addition to the specification, which permits additional fields.
    risk_factors: 'strings',
    status: 'string',
    ...times,
  },
  LifecycleEvent: { id: 'string', event_type: 'string', occurred_at: 'date-time', details: 'object' },
  SyncJob: { job_id: 'string', status: 'string' },
  CompletedJob: {
    job_id: 'string',
    status: 'string',
    progress_pct: 'integer',
    started_at: 'date-time',
    completed_at: 'date-time',
    batches_processed: 'integer',
    batches_total: 'integer',
  },
  Webhook: { id: 'string', callback_url: 'string', events: 'strings', active: 'boolean', created_at: 'date-time' },
  Page: { data: 'list', total: 'integer', limit: 'integer', offset: 'integer' },
  WebhookList: { data: 'list', total: 'integer' },
} as const satisfies Record<string, Record<string, FieldType>>;

/** Returns the fields and types of a value for comparison with a table: `{ id: 'string', roles: 'strings', … }`. */
export function fieldsOf(value: Record<string, unknown>): Record<string, FieldType | 'other'> {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, typeOf(name, field)]));
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const listsOfObjects = new Set(['data', 'attributes', 'users', 'accounts', 'machine_identities']);

function typeOf(name: string, value: unknown): FieldType | 'other' {
  if (Array.isArray(value)) {
    if (listsOfObjects.has(name)) return 'list';
    return value.every((item) => typeof item === 'string') ? 'strings' : 'other';
  }
  if (typeof value === 'string')
    return name.endsWith('_at') || ['hire_date', 'termination_date'].includes(name) ? asDateTime(value) : 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (Number.isInteger(value)) return 'integer';
  return typeof value === 'object' && value !== null ? 'object' : 'other';
}

function asDateTime(text: string): FieldType | 'other' {
  return dateTime.test(text) && !Number.isNaN(Date.parse(text)) ? 'date-time' : 'other';
}
