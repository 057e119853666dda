import { type ServiceName, services } from '@idsync/contracts';

export interface TableOwnership {
  /** Which rows a service sees: those of the tenant its transaction named, those that carry its own role, or all. */
  rows: { tenantColumn: string } | { roleColumn: string } | 'all';
  /** Privileges of each service; who is not named has none. */
  grants: Partial<Record<ServiceName, readonly string[]>>;
  /** Services that must find rows before they know the tenant. */
  acrossTenants?: readonly ServiceName[];
}

const byTenant = { tenantColumn: 'tenant_id' } as const;
const read = ['SELECT'] as const;
const write = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
const append = ['SELECT', 'INSERT'] as const;

/**
 * Who may do what to which table; the database enforces it. One service writes each table. Some rows are
 * born in one place and live in another: a sync job, an operation and a replay (the gateway inserts, another service
 * updates) and an event (whoever made the fact appends it). What else a service may change elsewhere says why below.
 * The bus tables carry ids only and belong to whoever sends or receives.
 */
export const ownership: Record<string, TableOwnership> = {
  tenants: {
    rows: { tenantColumn: 'id' },
    grants: { gateway: write, directory: read, 'sync-worker': read, 'webhook-dispatcher': read },
    acrossTenants: ['gateway', 'directory'],
  },
  api_keys: { rows: byTenant, grants: { gateway: write }, acrossTenants: ['gateway'] },
  connectors: {
    rows: byTenant,
    // Who plans by a schedule notes which.
    grants: { gateway: write, directory: read, 'sync-worker': ['SELECT', 'UPDATE (planned_schedule)'] },
    // Whose schedule is due is seen for all tenants at once.
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
    // An endpoint that fails for days, or says that it is gone, is switched off by whoever noticed.
    grants: { gateway: write, directory: read, 'webhook-dispatcher': ['SELECT', 'UPDATE (active, updated_at)'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  webhook_secrets: {
    rows: byTenant,
    // The gateway seals them anew, whosever they are, when the key changes.
    grants: { gateway: write, 'webhook-dispatcher': read },
    acrossTenants: ['gateway', 'webhook-dispatcher'],
  },
  // What is pushed to a connector is its source, which the sync-worker reads. Housekeeping forgets old deletions of all tenants.
  scim_positions: { rows: byTenant, grants: { gateway: write, 'sync-worker': read }, acrossTenants: ['gateway'] },
  scim_resources: {
    rows: byTenant,
    grants: {
      gateway: write,
      'sync-worker': read,
      directory: ['SELECT (tenant_id, connector_id, kind, id)', 'DELETE'],
    },
    acrossTenants: ['gateway'],
  },
  scim_members: {
    rows: byTenant,
    grants: { gateway: write, 'sync-worker': read, directory: ['SELECT (tenant_id, member_id)', 'DELETE'] },
    acrossTenants: ['gateway'],
  },
  idempotency_keys: { rows: byTenant, grants: { gateway: write } },
  sync_jobs: {
    rows: byTenant,
    // Who triggers a job inserts it: a client by the gateway, a schedule by the sync-worker. Erasure takes a person out of
    // what its end told.
    grants: { gateway: append, 'sync-worker': write, directory: ['SELECT', 'UPDATE (error_message)'] },
    acrossTenants: ['sync-worker'],
  },
  sync_batches: {
    rows: byTenant,
    grants: { 'sync-worker': write, directory: read },
    acrossTenants: ['sync-worker'],
  },
  // Erasure takes out whose record an error was of, and what it said.
  sync_record_errors: {
    rows: byTenant,
    grants: { 'sync-worker': write, gateway: read, directory: ['SELECT', 'UPDATE (external_id, message)'] },
  },
  connector_states: {
    rows: byTenant,
    grants: { 'sync-worker': ['SELECT', 'INSERT', 'UPDATE'], gateway: read },
    acrossTenants: ['sync-worker'],
  },
  // Erasure deletes those of a person; nobody is told any more that they fail.
  failing_records: { rows: byTenant, grants: { 'sync-worker': write, gateway: read, directory: ['SELECT', 'DELETE'] } },
  seen_records: { rows: byTenant, grants: { directory: write } },
  sync_plans: { rows: byTenant, grants: { directory: write, gateway: read } },
  sync_plan_entries: { rows: byTenant, grants: { directory: write, gateway: read } },
  identities: { rows: byTenant, grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  source_records: { rows: byTenant, grants: { directory: write, gateway: read, 'webhook-dispatcher': read } },
  machine_references: { rows: byTenant, grants: { directory: write, gateway: read } },
  correlation_keys: { rows: byTenant, grants: { directory: write } },
  contested_keys: { rows: byTenant, grants: { directory: write } },
  identity_redirects: { rows: byTenant, grants: { directory: write, gateway: read } },
  identity_versions: { rows: byTenant, grants: { directory: write, gateway: read } },
  attribute_priorities: { rows: byTenant, grants: { directory: write, gateway: read } },
  matching_rules: { rows: byTenant, grants: { directory: write, gateway: read } },
  weak_keys: { rows: byTenant, grants: { directory: write } },
  match_queue: { rows: byTenant, grants: { directory: write } },
  review_cases: { rows: byTenant, grants: { directory: write, gateway: read } },
  operations: { rows: byTenant, grants: { gateway: append, directory: ['SELECT', 'UPDATE'] } },
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
    acrossTenants: ['webhook-dispatcher'],
  },
  events: {
    rows: byTenant,
    // Erasure takes what an event says of a person out of it; nothing else changes one.
    grants: {
      directory: ['SELECT', 'INSERT', 'UPDATE'],
      'sync-worker': append,
      'webhook-dispatcher': append,
      gateway: append,
    },
  },
  fan_out_positions: {
    rows: byTenant,
    grants: { 'webhook-dispatcher': ['SELECT', 'INSERT', 'UPDATE'] },
    acrossTenants: ['webhook-dispatcher'],
  },
  // Erasure deletes what was or would be sent of a person, and what receivers answered to it.
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
    grants: { 'webhook-dispatcher': write, gateway: read, directory: ['SELECT', 'UPDATE (response_body)'] },
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
  idsync_migrations: { rows: 'all', grants: everyService(read) },
};

function everyService(privileges: readonly string[]): Record<ServiceName, readonly string[]> {
  return Object.fromEntries(services.map((service) => [service, privileges])) as Record<ServiceName, readonly string[]>;
}
