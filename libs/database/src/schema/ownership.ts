import { type ServiceName, services } from '@idsync/contracts';

export interface TableOwnership {
  /** Rows that a service sees: those of the transaction's tenant, those with its role, or all. */
  rows: { tenantColumn: string } | { roleColumn: string } | 'all';
  /** Privileges of each service; services that are not listed have none. */
  grants: Partial<Record<ServiceName, readonly string[]>>;
  /** Services that must find rows of all tenants. */
  acrossTenants?: readonly ServiceName[];
}

const byTenant = { tenantColumn: 'tenant_id' } as const;
const read = ['SELECT'] as const;
const write = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
const append = ['SELECT', 'INSERT'] as const;

/**
 * Table privileges of each service, enforced by PostgreSQL. One service writes each table, with these exceptions: the
 * gateway inserts sync jobs, operations and replays, which other services update, and every service appends events.
 * Comments explain other privileges. The bus tables contain only ids and belong to sender or receiver.
 */
const ofServices: Record<string, TableOwnership> = {
  tenants: {
    rows: { tenantColumn: 'id' },
    grants: { gateway: write, directory: read, 'sync-worker': read, 'webhook-dispatcher': read },
    // The sync-worker leaves out suspended tenants when it finds jobs of all tenants.
    acrossTenants: ['gateway', 'directory', 'sync-worker'],
  },
  // Every service ignores messages of a tenant that is being deleted.
  tenant_deletions: {
    rows: byTenant,
    grants: {
      gateway: append,
      directory: ['SELECT', 'UPDATE', 'DELETE'],
      'sync-worker': read,
      'webhook-dispatcher': read,
    },
    acrossTenants: ['gateway', 'directory'],
  },
  api_keys: { rows: byTenant, grants: { gateway: write }, acrossTenants: ['gateway'] },
  // The audit log is append-only. Operators of all tenants read it, and its chains are anchored.
  audit_entries: { rows: byTenant, grants: { gateway: append }, acrossTenants: ['gateway'] },
  audit_heads: { rows: byTenant, grants: { gateway: ['SELECT', 'INSERT', 'UPDATE'] }, acrossTenants: ['gateway'] },
  // The gateway encrypts the keys again when ENCRYPTION_KEY changes.
  audit_keys: {
    rows: byTenant,
    grants: { gateway: ['SELECT', 'INSERT', 'UPDATE (ciphertext)'] },
    acrossTenants: ['gateway'],
  },
  portal_links: { rows: byTenant, grants: { gateway: write }, acrossTenants: ['gateway'] },
  // Tokens and sessions of operators belong to the installation, so no transaction of a tenant sees them.
  service_tokens: { rows: byTenant, grants: { gateway: ['SELECT', 'INSERT', 'UPDATE'] } },
  operator_sessions: { rows: byTenant, grants: { gateway: write } },
  logout_tokens: { rows: byTenant, grants: { gateway: ['SELECT', 'INSERT', 'DELETE'] } },
  approvals: { rows: byTenant, grants: { gateway: ['SELECT', 'INSERT', 'UPDATE'] } },
  // The gateway finds the limit on requests with the key, before it knows the tenant.
  tenant_quotas: {
    rows: byTenant,
    grants: { gateway: ['SELECT', 'INSERT', 'UPDATE'], directory: read },
    acrossTenants: ['gateway'],
  },
  operator_policies: { rows: byTenant, grants: { gateway: ['SELECT', 'INSERT', 'UPDATE'] } },
  connectors: {
    rows: byTenant,
    // The sync-worker stores the schedule that it planned with, and the directory a rank when it applies it.
    grants: {
      gateway: write,
      directory: ['SELECT', 'UPDATE (priority, config, config_version, updated_at)'],
      'sync-worker': ['SELECT', 'UPDATE (planned_schedule)'],
    },
    // Finds due schedules of all tenants at once.
    acrossTenants: ['sync-worker'],
  },
  connector_secrets: {
    rows: byTenant,
    grants: { gateway: write, 'sync-worker': read },
    acrossTenants: ['gateway'],
  },
  connector_probes: {
    rows: byTenant,
    grants: { gateway: append, 'sync-worker': ['SELECT', 'UPDATE', 'DELETE'] },
    acrossTenants: ['sync-worker'],
  },
  webhooks: {
    rows: byTenant,
    // The dispatcher disables an endpoint that fails for days or reports that it is gone.
    grants: { gateway: write, directory: read, 'webhook-dispatcher': ['SELECT', 'UPDATE (active, updated_at)'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_secrets: {
    rows: byTenant,
    // The gateway encrypts all secrets again when the key changes.
    grants: { gateway: write, 'webhook-dispatcher': read },
    acrossTenants: ['gateway', 'webhook-dispatcher'],
  },
  webhook_signing_keys: {
    rows: byTenant,
    grants: { gateway: write, 'webhook-dispatcher': read },
    acrossTenants: ['gateway'],
  },
  webhook_headers: {
    rows: byTenant,
    grants: { gateway: write, 'webhook-dispatcher': read },
    acrossTenants: ['gateway'],
  },
  // Pushed resources are a source that the sync-worker reads. Housekeeping deletes old tombstones of all tenants.
  scim_positions: {
    rows: byTenant,
    grants: {
      gateway: write,
      'sync-worker': read,
      directory: ['SELECT (tenant_id, connector_id, users)', 'UPDATE (users)'],
    },
    acrossTenants: ['gateway'],
  },
  scim_resources: {
    rows: byTenant,
    grants: {
      gateway: write,
      'sync-worker': read,
      directory: ['SELECT (tenant_id, connector_id, kind, id, deleted_at)', 'DELETE'],
    },
    acrossTenants: ['gateway'],
  },
  scim_members: {
    rows: byTenant,
    grants: { gateway: write, 'sync-worker': read, directory: ['SELECT (tenant_id, member_id)', 'DELETE'] },
    acrossTenants: ['gateway'],
  },
  // The directory adds what an erasure suppresses, an operator lifts it, and the sync-worker leaves out what matches.
  suppressions: { rows: byTenant, grants: { directory: append, gateway: ['SELECT', 'DELETE'] } },
  suppression_hashes: {
    rows: byTenant,
    grants: { directory: append, gateway: ['SELECT', 'DELETE'], 'sync-worker': read },
  },
  suppression_keys: {
    rows: byTenant,
    grants: { gateway: ['SELECT', 'INSERT', 'UPDATE'], 'sync-worker': read },
    acrossTenants: ['gateway'],
  },
  idempotency_keys: { rows: byTenant, grants: { gateway: write } },
  sync_jobs: {
    rows: byTenant,
    // The gateway inserts jobs of clients, the sync-worker those of schedules. Erasure removes personal data from error
    // texts.
    grants: { gateway: append, 'sync-worker': write, directory: ['SELECT', 'UPDATE (error_message, source_message)'] },
    acrossTenants: ['sync-worker'],
  },
  sync_batches: {
    rows: byTenant,
    grants: { 'sync-worker': write, directory: read },
    acrossTenants: ['sync-worker'],
  },
  // Erasure replaces the record id and message of an error.
  sync_record_errors: {
    rows: byTenant,
    grants: {
      'sync-worker': write,
      gateway: read,
      directory: ['SELECT', 'UPDATE (external_id, message, source_message)'],
    },
  },
  connector_states: {
    rows: byTenant,
    grants: { 'sync-worker': ['SELECT', 'INSERT', 'UPDATE'], gateway: read, directory: read },
    acrossTenants: ['sync-worker'],
  },
  // Erasure deletes a person's records, and quoted text of records without an id.
  failing_records: {
    rows: byTenant,
    grants: { 'sync-worker': write, gateway: read, directory: ['SELECT', 'DELETE', 'UPDATE (source_message)'] },
  },
  batches_begun: { rows: byTenant, grants: { directory: write } },
  seen_records: { rows: byTenant, grants: { directory: write } },
  sync_plans: { rows: byTenant, grants: { directory: write, gateway: read } },
  sync_plan_entries: { rows: byTenant, grants: { directory: write, gateway: read, 'sync-worker': read } },
  identities: { rows: byTenant, grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  source_records: {
    rows: byTenant,
    grants: {
      directory: write,
      gateway: read,
      'webhook-dispatcher': read,
      // Entries that look like machines keep the kind they are known with.
      'sync-worker': ['SELECT (tenant_id, connector_id, external_id, kind, status, content_hash)'],
    },
  },
  search_terms: { rows: byTenant, grants: { directory: write, gateway: read } },
  groups: { rows: byTenant, grants: { directory: write, gateway: read } },
  list_terms: { rows: byTenant, grants: { directory: write, gateway: read } },
  machine_references: { rows: byTenant, grants: { directory: write, gateway: read } },
  former_references: { rows: byTenant, grants: { directory: write } },
  correlation_keys: { rows: byTenant, grants: { directory: write } },
  contested_keys: { rows: byTenant, grants: { directory: write } },
  identity_redirects: { rows: byTenant, grants: { directory: write, gateway: read } },
  // A metric adds up the progress of all tenants.
  identity_versions: { rows: byTenant, grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  record_versions: { rows: byTenant, grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  attribute_priorities: { rows: byTenant, grants: { directory: write, gateway: read } },
  lifecycle_policies: { rows: byTenant, grants: { directory: write, gateway: read } },
  matching_rules: { rows: byTenant, grants: { directory: write, gateway: read } },
  weak_keys: { rows: byTenant, grants: { directory: write } },
  match_queue: { rows: byTenant, grants: { directory: write } },
  review_cases: { rows: byTenant, grants: { directory: write, gateway: read } },
  operations: { rows: byTenant, grants: { gateway: append, directory: ['SELECT', 'UPDATE'] } },
  // A metric counts the open findings of all tenants.
  findings: { rows: byTenant, grants: { directory: write, gateway: read }, acrossTenants: ['directory'] },
  // The gateway notes work that it adds for the directory, which finds the tenants that have some.
  due_tenants: {
    rows: byTenant,
    grants: { directory: write, gateway: ['SELECT', 'INSERT', 'UPDATE'] },
    acrossTenants: ['directory'],
  },
  finding_passes: { rows: byTenant, grants: { directory: write } },
  finding_policies: { rows: byTenant, grants: { gateway: write, directory: read } },
  waiting_records: { rows: byTenant, grants: { directory: write } },
  directory_counters: { rows: byTenant, grants: { directory: write, gateway: read } },
  list_positions: { rows: byTenant, grants: { directory: write, gateway: read } },
  event_sequences: {
    rows: byTenant,
    grants: {
      gateway: ['SELECT', 'INSERT', 'UPDATE'],
      directory: ['SELECT', 'UPDATE'],
      'sync-worker': ['SELECT', 'UPDATE'],
      'webhook-dispatcher': ['SELECT', 'UPDATE'],
    },
    // The gateway counts events that are not fanned out yet.
    acrossTenants: ['directory', 'webhook-dispatcher', 'gateway'],
  },
  events: {
    rows: byTenant,
    // Only erasure changes an event: it removes the data of a person.
    grants: {
      directory: ['SELECT', 'INSERT', 'UPDATE'],
      'sync-worker': append,
      'webhook-dispatcher': append,
      gateway: append,
    },
  },
  fan_out_positions: {
    rows: byTenant,
    grants: { 'webhook-dispatcher': ['SELECT', 'INSERT', 'UPDATE'], gateway: read },
    acrossTenants: ['webhook-dispatcher', 'gateway'],
  },
  // Erasure deletes payloads about a person and the responses of receivers.
  event_payloads: {
    rows: byTenant,
    grants: { 'webhook-dispatcher': write, gateway: read, directory: ['SELECT', 'DELETE'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_deliveries: {
    rows: byTenant,
    grants: { 'webhook-dispatcher': write, gateway: read, directory: read },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_attempts: {
    rows: byTenant,
    grants: {
      'webhook-dispatcher': write,
      gateway: read,
      directory: ['SELECT', 'UPDATE (response_body, response_headers)'],
    },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_endpoints: {
    rows: byTenant,
    grants: { 'webhook-dispatcher': write, gateway: read },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_replays: {
    rows: byTenant,
    grants: { gateway: append, 'webhook-dispatcher': ['SELECT', 'UPDATE', 'DELETE'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  outbox: { rows: { roleColumn: 'producer' }, grants: everyService(write) },
  relay_leases: {
    rows: { roleColumn: 'producer' },
    grants: everyService(['SELECT', 'INSERT', 'UPDATE']),
  },
  inbox: { rows: { roleColumn: 'consumer' }, grants: everyService(['SELECT', 'INSERT', 'DELETE']) },
  bus_messages: { rows: 'all', grants: everyService(write) },
  service_processes: { rows: 'all', grants: everyService(write) },
  idsync_migrations: { rows: 'all', grants: everyService(read) },
};

/**
 * Adds what the deletion of a tenant needs: the directory deletes the rows of every table with tenants. It sees only
 * whose they are and where.
 */
function withDeletion([table, owned]: [string, TableOwnership]): [string, TableOwnership] {
  if (typeof owned.rows !== 'object' || !('tenantColumn' in owned.rows)) return [table, owned];
  const { directory = [] } = owned.grants;
  const where = directory.includes('SELECT') ? [] : [`SELECT (${owned.rows.tenantColumn}, ctid)`];
  return [
    table,
    { ...owned, grants: { ...owned.grants, directory: [...new Set([...directory, ...where, 'DELETE'])] } },
  ];
}

export const ownership: Record<string, TableOwnership> = Object.fromEntries(
  Object.entries(ofServices).map(withDeletion),
);

function everyService(privileges: readonly string[]): Record<ServiceName, readonly string[]> {
  return Object.fromEntries(services.map((service) => [service, privileges])) as Record<ServiceName, readonly string[]>;
}
