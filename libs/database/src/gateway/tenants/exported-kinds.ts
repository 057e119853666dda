import type { IdKind } from '@idsync/contracts';

export interface ExportedKind {
  /** Kind of the public id that replaces `id`. */
  idKind?: IdKind;
  /** Statements that select its rows; `$1` is the tenant. `document` is a column with JSON text. */
  selects: string[];
}

const ofTenant = (columns: string, table: string, where = ''): string =>
  `select ${columns} from ${table} where tenant_id = $1${where}`;

const records = (kind: string): string =>
  ofTenant(
    `id, connector_id, external_id, identity_id, status, fields, created_at, updated_at, status_since, linked_by,
     decided as manually_linked, evidence, manager_id, document`,
    'source_records',
    ` and kind = '${kind}'`,
  );

/**
 * Kinds of lines of an export, in its order. Left out: secrets and their hashes, search terms, match keys and other
 * indexes that are computed from the records, the progress of jobs, and what was sent to webhooks.
 */
export const exportedKinds: Record<string, ExportedKind> = {
  connector: {
    idKind: 'connector',
    selects: [
      ofTenant(
        'id, type, name, priority, records, config, safeguard, schedule, created_at, updated_at, deleted_at',
        'connectors',
      ),
    ],
  },
  matching_rules: { selects: [ofTenant('rules, updated_at', 'matching_rules')] },
  lifecycle_policy: { selects: [ofTenant('policy, updated_at', 'lifecycle_policies')] },
  operator_policy: { selects: [ofTenant('policy, updated_at', 'operator_policies')] },
  quotas: { selects: [ofTenant('quotas, updated_at', 'tenant_quotas')] },
  finding_policy: { selects: [ofTenant('policy, updated_at', 'finding_policies')] },
  attribute_priority: { selects: [ofTenant('field, connector_id, priority', 'attribute_priorities')] },
  webhook: {
    idKind: 'webhook',
    selects: [
      ofTenant('id, callback_url, events, active, filter, payload, header_names, created_at, updated_at', 'webhooks'),
    ],
  },
  webhook_signing_key: {
    selects: [ofTenant('id, webhook_id, public_key, created_at, expires_at', 'webhook_signing_keys')],
  },
  api_key: {
    idKind: 'apiKey',
    selects: [
      ofTenant(
        'id, name, scopes, connector_id, allowed_networks, created_at, expires_at, last_used_at, revoked_at',
        'api_keys',
      ),
    ],
  },
  suppression: {
    idKind: 'suppression',
    selects: [ofTenant('id, identity_id, operation_id, created_at', 'suppressions')],
  },
  identity: {
    idKind: 'identity',
    selects: [ofTenant('id, status, created_at, updated_at, document', 'identities')],
  },
  identity_redirect: {
    idKind: 'identity',
    selects: [ofTenant('id, into_id, created_at, merged_at', 'identity_redirects')],
  },
  identity_version: {
    selects: [ofTenant('identity_id, valid_until, into_id, document', 'identity_versions')],
  },
  group: { selects: [ofTenant('id, connector_id, name, created_at', 'groups')] },
  user: { idKind: 'user', selects: [records('user')] },
  account: { idKind: 'account', selects: [records('account')] },
  machine_identity: { idKind: 'machineIdentity', selects: [records('machine_identity')] },
  record_version: { selects: [ofTenant('record_id, valid_until, document', 'record_versions')] },
  pushed_resource: {
    selects: [ofTenant('connector_id, id, kind as type, document as pushed, deleted_at', 'scim_resources')],
  },
  event: {
    idKind: 'event',
    selects: [
      `${ofTenant('sequence, id, type, occurred_at, identity_id, subject_id, job_id, details', 'events')} order by sequence`,
    ],
  },
  audit_entry: { selects: [`${ofTenant('sequence, entry, hash', 'audit_entries')} order by sequence`] },
  case: {
    idKind: 'case',
    selects: [
      ofTenant(
        'id, record_id, kind as type, status, reason, candidates, opened_at, closed_at, operation_id',
        'review_cases',
      ),
    ],
  },
  finding: {
    idKind: 'finding',
    selects: [
      ofTenant(
        `id, kind as type, subject_id, identity_id, evidence, state, opened_at, resolved_at, accepted_by,
         accepted_reason, accepted_at, accepted_until`,
        'findings',
      ),
    ],
  },
  approval: {
    idKind: 'approval',
    selects: [
      ofTenant(
        `id, action, resource, input, reason, requested_by, status, created_at, expires_at, decided_by, decided_at,
         decision_reason, operation_id`,
        'approvals',
      ),
    ],
  },
  operation: {
    idKind: 'operation',
    selects: [ofTenant('id, type, input, status, created_at, ended_at, result, reverted_by', 'operations')],
  },
  sync_job: {
    idKind: 'job',
    selects: [
      ofTenant(
        `id, connector_id, status, mode, external_id, outcome, dry_run, retires, created_at, started_at, completed_at,
         error_message, error_code, records_read, records_applied, records_failed, records_deleted,
         records_suppressed, note, decision`,
        'sync_jobs',
      ),
    ],
  },
  failing_record: {
    selects: [
      ofTenant(
        'connector_id, external_id, line, field, message, first_failed_at, last_failed_at, retries',
        'failing_records',
      ),
    ],
  },
};
