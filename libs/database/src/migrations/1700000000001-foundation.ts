import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of the first release. Grants and row-level security are defined in `ownership.ts`. */
export class Foundation1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
-- gateway ------------------------------------------------------------------------------------------------------------
create table tenants (
  id uuid constraint tenants_pkey primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table api_keys (
  id uuid constraint api_keys_pkey primary key,
  tenant_id uuid not null constraint api_keys_tenant_id_fkey references tenants (id) on delete cascade,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_tenant on api_keys (tenant_id, created_at, id);

create table connectors (
  id uuid constraint connectors_pkey primary key,
  tenant_id uuid not null constraint connectors_tenant_id_fkey references tenants (id) on delete cascade,
  type text not null,
  name text not null,
  priority integer not null,
  records text not null,
  config jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index connectors_name on connectors (tenant_id, name) where deleted_at is null;
create index connectors_tenant on connectors (tenant_id, created_at, id);

create table webhooks (
  id uuid constraint webhooks_pkey primary key,
  tenant_id uuid not null constraint webhooks_tenant_id_fkey references tenants (id) on delete cascade,
  callback_url text not null,
  events text[] not null,
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhooks_tenant on webhooks (tenant_id, created_at, id);

create table webhook_secrets (
  id uuid constraint webhook_secrets_pkey primary key,
  tenant_id uuid not null,
  webhook_id uuid not null constraint webhook_secrets_webhook_id_fkey references webhooks (id) on delete cascade,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index webhook_secrets_webhook on webhook_secrets (webhook_id);

create table idempotency_keys (
  tenant_id uuid not null constraint idempotency_keys_tenant_id_fkey references tenants (id) on delete cascade,
  key text not null,
  connector_id uuid not null,
  job_id uuid not null,
  expires_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (tenant_id, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- sync-worker: the gateway inserts a job, the sync-worker updates it ---------------------------------------------------
create table sync_jobs (
  id uuid constraint sync_jobs_pkey primary key,
  tenant_id uuid not null constraint sync_jobs_tenant_id_fkey references tenants (id) on delete cascade,
  connector_id uuid not null,
  status text not null default 'queued',
  keyed boolean not null default false,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  error_message text,
  cancel_reason text,
  cursor jsonb,
  progress_pct integer not null default 0,
  records_read bigint not null default 0,
  records_expected bigint,
  records_applied bigint not null default 0,
  records_failed bigint not null default 0,
  batches_written integer not null default 0,
  batches_processed integer not null default 0,
  batches_total integer,
  attempts integer not null default 0,
  lease_token bigint not null default 0,
  lease_owner text,
  lease_until timestamptz,
  constraint sync_jobs_status_check check (status in
    ('queued', 'running', 'quarantined', 'completed', 'completed_with_errors', 'failed', 'cancelled'))
);
create unique index sync_jobs_one_running on sync_jobs (connector_id) where status in ('running', 'quarantined');
create unique index sync_jobs_one_queued on sync_jobs (connector_id) where status = 'queued' and not keyed;
create index sync_jobs_unfinished on sync_jobs (connector_id, id) where status in ('queued', 'running', 'quarantined');
create index sync_jobs_tenant on sync_jobs (tenant_id, id);
create index sync_jobs_finished on sync_jobs (completed_at) where completed_at is not null;

create table sync_batches (
  job_id uuid not null constraint sync_batches_job_id_fkey references sync_jobs (id) on delete cascade,
  seq integer not null,
  tenant_id uuid not null,
  connector_id uuid not null,
  record_count integer not null,
  records text not null,
  announced_at timestamptz not null default now(),
  constraint sync_batches_pkey primary key (job_id, seq)
);

create table sync_record_errors (
  job_id uuid not null constraint sync_record_errors_job_id_fkey references sync_jobs (id) on delete cascade,
  id uuid constraint sync_record_errors_pkey primary key,
  tenant_id uuid not null,
  line bigint,
  external_id text,
  message text not null
);
create index sync_record_errors_job on sync_record_errors (job_id, id);

-- directory ------------------------------------------------------------------------------------------------------------
create table identities (
  id uuid constraint identities_pkey primary key,
  tenant_id uuid not null,
  display_name text,
  status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  document text not null,
  constraint identities_status_check check (status in ('pending', 'active', 'suspended', 'inactive', 'deleted'))
);
create index identities_listed on identities (tenant_id, created_at, id) where status <> 'deleted';
create index identities_by_status on identities (tenant_id, status, created_at, id);
create index identities_changed on identities (tenant_id, updated_at);

create table source_records (
  id uuid constraint source_records_pkey primary key,
  tenant_id uuid not null,
  kind text not null,
  connector_id uuid not null,
  external_id text not null,
  identity_id uuid,
  status text not null,
  content_hash bytea not null,
  fields jsonb not null,
  changed_at jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  document text not null,
  last_job_id uuid not null,
  last_seq integer not null,
  constraint source_records_kind_check check (kind in ('user', 'account', 'machine_identity'))
);
create unique index source_records_anchor on source_records (connector_id, external_id);
create index source_records_identity on source_records (identity_id);
create index source_records_users on source_records (tenant_id, created_at, id) where kind = 'user' and status <> 'deleted';
create index source_records_users_by_status on source_records (tenant_id, status, created_at, id) where kind = 'user';
create index source_records_users_changed on source_records (tenant_id, updated_at) where kind = 'user';

create table correlation_keys (
  tenant_id uuid not null,
  kind text not null,
  value text not null,
  identity_id uuid,
  constraint correlation_keys_pkey primary key (tenant_id, kind, value)
);

create table waiting_records (
  tenant_id uuid not null,
  kind text not null,
  value text not null,
  record_id uuid not null,
  constraint waiting_records_pkey primary key (tenant_id, kind, value, record_id)
);
create index waiting_records_record on waiting_records (record_id);

create table directory_counters (
  tenant_id uuid not null,
  resource text not null,
  status text not null,
  count bigint not null,
  constraint directory_counters_pkey primary key (tenant_id, resource, status)
);

-- events: every producer appends --------------------------------------------------------------------------------------
create table event_sequences (
  tenant_id uuid constraint event_sequences_pkey primary key,
  last bigint not null
);

create table events (
  tenant_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  type text not null,
  occurred_at timestamptz not null,
  identity_id uuid,
  subject_id uuid,
  job_id uuid,
  details jsonb not null,
  constraint events_pkey primary key (tenant_id, sequence)
);
create index events_identity on events (identity_id, sequence) where identity_id is not null;

-- webhook-dispatcher ---------------------------------------------------------------------------------------------------
create table webhook_deliveries (
  id uuid constraint webhook_deliveries_pkey primary key,
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_sequence bigint not null,
  status text not null default 'pending',
  created_at timestamptz not null default now()
);
create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, event_sequence);

-- the bus: outbox of every service, inbox of every consumer, queues of the postgres driver -------------------------------
create table outbox (
  id bigint generated always as identity constraint outbox_pkey primary key,
  producer text not null,
  message_id uuid not null,
  type text not null,
  ordering_key text,
  message text not null,
  created_at timestamptz not null default now()
);
create index outbox_producer on outbox (producer, id);

create table relay_leases (
  producer text constraint relay_leases_pkey primary key,
  token bigint not null,
  owner text not null,
  until timestamptz not null
);

create table inbox (
  consumer text not null,
  message_id uuid not null,
  received_at timestamptz not null default now(),
  constraint inbox_pkey primary key (consumer, message_id)
);
create index inbox_age on inbox (consumer, received_at);

create table bus_messages (
  id bigint generated always as identity constraint bus_messages_pkey primary key,
  queue text not null,
  message_id uuid,
  type text not null,
  ordering_key text,
  message text not null,
  attempts integer not null default 0,
  available_at timestamptz not null default now(),
  lease_token uuid,
  created_at timestamptz not null default now(),
  dead_at timestamptz,
  dead_reason text
);
create index bus_messages_due on bus_messages (queue, available_at, id) where dead_at is null;
create index bus_messages_order on bus_messages (queue, ordering_key, id) where dead_at is null and ordering_key is not null;
create index bus_messages_dead on bus_messages (queue, id) where dead_at is not null;
`;

const down = `
drop table bus_messages, inbox, relay_leases, outbox, webhook_deliveries, events, event_sequences, directory_counters,
  waiting_records, correlation_keys, source_records, identities, sync_record_errors, sync_batches, sync_jobs,
  idempotency_keys, webhook_secrets, webhooks, connectors, api_keys, tenants;
`;
