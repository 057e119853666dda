import { type ServiceName, services } from '@idsync/contracts';

export interface TableOwnership {
  /** Rows that a service sees: those of the transaction's tenant (default), those with its role, or all. */
  rows: { tenantColumn: string } | { roleColumn: string } | 'all';
  /** Privileges of each service; services that are not listed have none. */
  grants: Partial<Record<ServiceName, readonly string[]>>;
  /** Services that must find rows of all tenants. */
  acrossTenants?: readonly ServiceName[];
}

const read = ['SELECT'] as const;
const write = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
const append = ['SELECT', 'INSERT'] as const;
const update = ['SELECT', 'UPDATE'] as const;
const upsert = ['SELECT', 'INSERT', 'UPDATE'] as const;

/**
 * Table privileges of each service, enforced by PostgreSQL. One service writes each table, with these exceptions: the
 * gateway inserts sync jobs, operations and replays, which other services update, and every service appends events.
 * Comments explain other privileges. The bus tables contain only ids and belong to sender or receiver.
 */
const ofServices: Record<string, Partial<TableOwnership> & Pick<TableOwnership, 'grants'>> = {
  tenants: {
    rows: { tenantColumn: 'id' },
    grants: { gateway: write, directory: read, 'sync-worker': read, 'webhook-dispatcher': read },
    // The sync-worker leaves out suspended tenants when it finds jobs of all tenants.
    acrossTenants: ['gateway', 'directory', 'sync-worker'],
  },
  // Every service ignores messages of a tenant that is being deleted.
  tenant_deletions: {
    grants: {
      gateway: append,
      directory: ['SELECT', 'UPDATE', 'DELETE'],
      'sync-worker': read,
      'webhook-dispatcher': read,
    },
    acrossTenants: ['gateway', 'directory'],
  },
  api_keys: { grants: { gateway: write }, acrossTenants: ['gateway'] },
  // The audit log is append-only. Operators of all tenants read it, and its chains are anchored.
  audit_entries: { grants: { gateway: append }, acrossTenants: ['gateway'] },
  audit_heads: { grants: { gateway: upsert }, acrossTenants: ['gateway'] },
  // The gateway encrypts the keys again when ENCRYPTION_KEY changes.
  audit_keys: { grants: { gateway: ['SELECT', 'INSERT', 'UPDATE (ciphertext)'] }, acrossTenants: ['gateway'] },
  portal_links: { grants: { gateway: write }, acrossTenants: ['gateway'] },
  // Tokens and sessions of operators belong to the installation, so no transaction of a tenant sees them.
  service_tokens: { grants: { gateway: upsert } },
  operator_sessions: { grants: { gateway: write } },
  logout_tokens: { grants: { gateway: ['SELECT', 'INSERT', 'DELETE'] } },
  approvals: { grants: { gateway: upsert } },
  // The gateway finds the limit on requests with the key, before it knows the tenant.
  tenant_quotas: { grants: { gateway: upsert, directory: read }, acrossTenants: ['gateway'] },
  operator_policies: { grants: { gateway: upsert } },
  connectors: {
    // The sync-worker stores the schedule that it planned with, and the directory a rank when it applies it.
    grants: {
      gateway: write,
      directory: ['SELECT', 'UPDATE (priority, config, config_version, updated_at)'],
      'sync-worker': ['SELECT', 'UPDATE (planned_schedule)'],
    },
    // Finds due schedules of all tenants at once.
    acrossTenants: ['sync-worker'],
  },
  connector_secrets: { grants: { gateway: write, 'sync-worker': read }, acrossTenants: ['gateway'] },
  connector_probes: {
    grants: { gateway: append, 'sync-worker': ['SELECT', 'UPDATE', 'DELETE'] },
    acrossTenants: ['sync-worker'],
  },
  webhooks: {
    // The dispatcher disables an endpoint that fails for days or reports that it is gone.
    grants: { gateway: write, directory: read, 'webhook-dispatcher': ['SELECT', 'UPDATE (active, updated_at)'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_secrets: {
    // The gateway encrypts all secrets again when the key changes.
    grants: { gateway: write, 'webhook-dispatcher': read },
    acrossTenants: ['gateway', 'webhook-dispatcher'],
  },
  webhook_signing_keys: { grants: { gateway: write, 'webhook-dispatcher': read }, acrossTenants: ['gateway'] },
  webhook_headers: { grants: { gateway: write, 'webhook-dispatcher': read }, acrossTenants: ['gateway'] },
  // Pushed resources are a source that the sync-worker reads. Housekeeping deletes old tombstones of all tenants.
  scim_positions: {
    grants: {
      gateway: write,
      'sync-worker': read,
      directory: ['SELECT (tenant_id, connector_id, users)', 'UPDATE (users)'],
    },
    acrossTenants: ['gateway'],
  },
  scim_resources: {
    grants: {
      gateway: write,
      'sync-worker': read,
      directory: ['SELECT (tenant_id, connector_id, kind, id, deleted_at)', 'DELETE'],
    },
    acrossTenants: ['gateway'],
  },
  scim_members: {
    grants: { gateway: write, 'sync-worker': read, directory: ['SELECT (tenant_id, member_id)', 'DELETE'] },
    acrossTenants: ['gateway'],
  },
  // The directory adds what an erasure suppresses, an operator lifts it, and the sync-worker leaves out what matches.
  suppressions: { grants: { directory: append, gateway: ['SELECT', 'DELETE'] } },
  suppression_hashes: { grants: { directory: append, gateway: ['SELECT', 'DELETE'], 'sync-worker': read } },
  suppression_keys: { grants: { gateway: upsert, 'sync-worker': read }, acrossTenants: ['gateway'] },
  idempotency_keys: { grants: { gateway: write } },
  sync_jobs: {
    // The gateway inserts jobs of clients, the sync-worker those of schedules. Erasure removes personal data from error
    // texts.
    grants: { gateway: append, 'sync-worker': write, directory: ['SELECT', 'UPDATE (error_message, source_message)'] },
    acrossTenants: ['sync-worker'],
  },
  sync_batches: { grants: { 'sync-worker': write, directory: read }, acrossTenants: ['sync-worker'] },
  // Erasure replaces the record id and message of an error.
  sync_record_errors: {
    grants: {
      'sync-worker': write,
      gateway: read,
      directory: ['SELECT', 'UPDATE (external_id, message, source_message)'],
    },
  },
  connector_states: {
    grants: { 'sync-worker': upsert, gateway: read, directory: read },
    acrossTenants: ['sync-worker'],
  },
  // Erasure deletes a person's records, and quoted text of records without an id.
  failing_records: {
    grants: { 'sync-worker': write, gateway: read, directory: ['SELECT', 'DELETE', 'UPDATE (source_message)'] },
  },
  batches_begun: { grants: { directory: write } },
  seen_records: { grants: { directory: write } },
  sync_plans: { grants: { directory: write, gateway: read } },
  sync_plan_entries: { grants: { directory: write, gateway: read, 'sync-worker': read } },
  identities: { grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  source_records: {
    grants: {
      directory: write,
      gateway: read,
      'webhook-dispatcher': read,
      // Entries that look like machines keep the kind they are known with.
      'sync-worker': ['SELECT (tenant_id, connector_id, external_id, kind, status, content_hash)'],
    },
  },
  search_terms: { grants: { directory: write, gateway: read } },
  groups: { grants: { directory: write, gateway: read } },
  list_terms: { grants: { directory: write, gateway: read } },
  machine_references: { grants: { directory: write, gateway: read } },
  former_references: { grants: { directory: write } },
  correlation_keys: { grants: { directory: write } },
  contested_keys: { grants: { directory: write } },
  identity_redirects: { grants: { directory: write, gateway: read } },
  identity_versions: { grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  record_versions: { grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  attribute_priorities: { grants: { directory: write, gateway: read } },
  lifecycle_policies: { grants: { directory: write, gateway: read } },
  matching_rules: { grants: { directory: write, gateway: read } },
  weak_keys: { grants: { directory: write } },
  match_queue: { grants: { directory: write } },
  review_cases: { grants: { directory: write, gateway: read } },
  operations: { grants: { gateway: append, directory: update } },
  // A metric counts the open findings of all tenants.
  findings: { grants: { directory: write, gateway: read }, acrossTenants: ['directory'] },
  // The gateway notes work that it adds for the directory, which finds the tenants that have some.
  due_tenants: { grants: { directory: write, gateway: upsert }, acrossTenants: ['directory'] },
  finding_passes: { grants: { directory: write } },
  finding_policies: { grants: { gateway: write, directory: read } },
  waiting_records: { grants: { directory: write } },
  directory_counters: { grants: { directory: write, gateway: read } },
  list_positions: { grants: { directory: write, gateway: read } },
  event_sequences: {
    grants: { gateway: upsert, directory: update, 'sync-worker': update, 'webhook-dispatcher': update },
    // The gateway counts events that are not fanned out yet.
    acrossTenants: ['directory', 'webhook-dispatcher', 'gateway'],
  },
  events: {
    // Only erasure changes an event: it removes the data of a person.
    grants: { directory: upsert, 'sync-worker': append, 'webhook-dispatcher': append, gateway: append },
  },
  fan_out_positions: {
    grants: { 'webhook-dispatcher': upsert, gateway: read },
    acrossTenants: ['webhook-dispatcher', 'gateway'],
  },
  // Erasure deletes payloads about a person and the responses of receivers.
  event_payloads: {
    grants: { 'webhook-dispatcher': write, gateway: read, directory: ['SELECT', 'DELETE'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_deliveries: {
    grants: { 'webhook-dispatcher': write, gateway: read, directory: read },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_attempts: {
    grants: {
      'webhook-dispatcher': write,
      gateway: read,
      directory: ['SELECT', 'UPDATE (response_body, response_headers)'],
    },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_endpoints: { grants: { 'webhook-dispatcher': write, gateway: read }, acrossTenants: ['webhook-dispatcher'] },
  webhook_hours: { grants: { 'webhook-dispatcher': write, gateway: read }, acrossTenants: ['webhook-dispatcher'] },
  webhook_replays: {
    grants: { gateway: append, 'webhook-dispatcher': ['SELECT', 'UPDATE', 'DELETE'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  outbox: { rows: { roleColumn: 'producer' }, grants: everyService(write) },
  relay_leases: { rows: { roleColumn: 'producer' }, grants: everyService(upsert) },
  inbox: { rows: { roleColumn: 'consumer' }, grants: everyService(['SELECT', 'INSERT', 'DELETE']) },
  bus_messages: { rows: 'all', grants: everyService(write) },
  service_processes: { rows: 'all', grants: everyService(write) },
  idsync_migrations: { rows: 'all', grants: everyService(read) },
};

export const ownership: Record<string, TableOwnership> = Object.fromEntries(
  Object.entries(ofServices).map(([table, { rows = { tenantColumn: 'tenant_id' }, ...owned }]) => [
    table,
    typeof rows === 'object' && 'tenantColumn' in rows
      ? { ...owned, rows, grants: withDeletion(owned.grants, rows.tenantColumn) }
      : { ...owned, rows },
  ]),
);

/**
 * Adds what the deletion of a tenant needs: the directory deletes the rows of every table with tenants. It sees only
 * whose they are and where.
 */
function withDeletion(grants: TableOwnership['grants'], tenantColumn: string): TableOwnership['grants'] {
  const { directory = [] } = grants;
  const where = directory.includes('SELECT') ? [] : [`SELECT (${tenantColumn}, ctid)`];
  return { ...grants, directory: [...new Set([...directory, ...where, 'DELETE'])] };
}

function everyService(privileges: readonly string[]): Record<ServiceName, readonly string[]> {
  return Object.fromEntries(services.map((service) => [service, privileges])) as Record<ServiceName, readonly string[]>;
}
