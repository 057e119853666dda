import type { IdKind } from '@idsync/contracts';

export interface ExportedKind {
  /** Kind of the public id that replaces `id`. */
  idKind?: IdKind;
  table: string;
  /** The selected columns. `document` is JSON text. */
  columns: string;
  /** A condition beside the tenant. */
  where?: string;
  /** Columns of the primary key behind the tenant, by which the rows are ordered; none for a single row. */
  key: Record<string, KeyType>;
}

/** Types of the columns of keys. */
export type KeyType = 'uuid' | 'text' | 'bigint' | 'timestamptz';

/** Selects the rows of a kind; `$1` is the tenant, and the next parameters are the key of the row before the first one. */
export function selectOf({ table, columns, where, key }: ExportedKind, isContinued: boolean): string {
  const names = Object.keys(key);
  const conditions = [
    'tenant_id = $1',
    ...(where ? [where] : []),
    ...(isContinued ? [`(${names}) > (${names.map((_, nth) => `$${nth + 2}`)})`] : []),
  ];
  const place = names.length === 0 ? '' : `, json_build_array(${names.map((name) => `${name}::text`)}) as place`;
  const order = names.length === 0 ? '' : ` order by ${names}`;
  return `select ${columns}${place} from ${table} where ${conditions.join(' and ')}${order}`;
}

const ofTenant = (columns: string, table: string, key: Record<string, KeyType> = {}) => ({ table, columns, key });
const byId = { id: 'uuid' } as const;

const records = (kind: string) => ({
  ...ofTenant(
    `id, connector_id, external_id, identity_id, status, fields, created_at, updated_at, status_since, linked_by,
     decided as manually_linked, evidence, manager_id, document`,
    'source_records',
    byId,
  ),
  // The second condition is that of an index.
  where: `kind = '${kind}'${kind === 'user' ? '' : ` and kind <> 'user'`}`,
});

/**
 * Kinds of lines of an export, in its order. Left out: secrets and their hashes, search terms, match keys and other
 * indexes that are computed from the records, the progress of jobs, and what was sent to webhooks.
 */
export const exportedKinds: Record<string, ExportedKind> = {
  connector: {
    idKind: 'connector',
    ...ofTenant(
      'id, type, name, priority, records, config, safeguard, schedule, created_at, updated_at, deleted_at',
      'connectors',
      byId,
    ),
  },
  matching_rules: { ...ofTenant('rules, updated_at', 'matching_rules') },
  lifecycle_policy: { ...ofTenant('policy, updated_at', 'lifecycle_policies') },
  operator_policy: { ...ofTenant('policy, updated_at', 'operator_policies') },
  quotas: { ...ofTenant('quotas, updated_at', 'tenant_quotas') },
  finding_policy: { ...ofTenant('policy, updated_at', 'finding_policies') },
  attribute_priority: {
    ...ofTenant('field, connector_id, priority', 'attribute_priorities', { field: 'text', connector_id: 'uuid' }),
  },
  webhook: {
    idKind: 'webhook',
    ...ofTenant(
      'id, callback_url, events, active, filter, payload, header_names, created_at, updated_at',
      'webhooks',
      byId,
    ),
  },
  webhook_signing_key: {
    ...ofTenant('id, webhook_id, public_key, created_at, expires_at', 'webhook_signing_keys', {
      webhook_id: 'uuid',
      id: 'uuid',
    }),
  },
  api_key: {
    idKind: 'apiKey',
    ...ofTenant(
      'id, name, scopes, connector_id, allowed_networks, created_at, expires_at, last_used_at, revoked_at',
      'api_keys',
      byId,
    ),
  },
  suppression: {
    idKind: 'suppression',
    ...ofTenant('id, identity_id, operation_id, created_at', 'suppressions', byId),
  },
  identity: {
    idKind: 'identity',
    ...ofTenant('id, status, created_at, updated_at, document', 'identities', byId),
  },
  identity_redirect: {
    idKind: 'identity',
    ...ofTenant('id, into_id, created_at, merged_at', 'identity_redirects', byId),
  },
  identity_version: {
    ...ofTenant('identity_id, valid_until, into_id, document', 'identity_versions', {
      identity_id: 'uuid',
      valid_until: 'timestamptz',
      id: 'bigint',
    }),
  },
  group: { ...ofTenant('id, connector_id, external_id, name, created_at, updated_at', 'groups', byId) },
  user: { idKind: 'user', ...records('user') },
  account: { idKind: 'account', ...records('account') },
  machine_identity: { idKind: 'machineIdentity', ...records('machine_identity') },
  record_version: {
    ...ofTenant('record_id, valid_until, document', 'record_versions', {
      record_id: 'uuid',
      valid_until: 'timestamptz',
      id: 'bigint',
    }),
  },
  pushed_resource: {
    ...ofTenant('connector_id, id, kind as type, document as pushed, deleted_at', 'scim_resources', {
      connector_id: 'uuid',
      kind: 'text',
      id: 'uuid',
    }),
  },
  event: {
    idKind: 'event',
    ...ofTenant('sequence, id, type, occurred_at, identity_id, subject_id, job_id, details', 'events', {
      sequence: 'bigint',
    }),
  },
  audit_entry: { ...ofTenant('sequence, entry, hash', 'audit_entries', { sequence: 'bigint' }) },
  case: {
    idKind: 'case',
    ...ofTenant(
      'id, record_id, kind as type, status, reason, candidates, opened_at, closed_at, operation_id',
      'review_cases',
      byId,
    ),
  },
  finding: {
    idKind: 'finding',
    ...ofTenant(
      `id, kind as type, subject_id, identity_id, evidence, state, opened_at, resolved_at, accepted_by,
         accepted_reason, accepted_at, accepted_until`,
      'findings',
      byId,
    ),
  },
  approval: {
    idKind: 'approval',
    ...ofTenant(
      `id, action, resource, input, reason, requested_by, status, created_at, expires_at, decided_by, decided_at,
         decision_reason, operation_id`,
      'approvals',
      byId,
    ),
  },
  operation: {
    idKind: 'operation',
    ...ofTenant('id, type, input, status, created_at, ended_at, result, reverted_by', 'operations', byId),
  },
  sync_job: {
    idKind: 'job',
    ...ofTenant(
      `id, connector_id, status, mode, external_id, outcome, dry_run, retires, created_at, started_at, completed_at,
         error_message, error_code, records_read, records_applied, records_failed, records_deleted,
         records_suppressed, note, decision`,
      'sync_jobs',
      byId,
    ),
  },
  failing_record: {
    ...ofTenant(
      'connector_id, external_id, line, field, message, first_failed_at, last_failed_at, retries',
      'failing_records',
      { connector_id: 'uuid', id: 'uuid' },
    ),
  },
};
