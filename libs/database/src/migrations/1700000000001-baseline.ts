import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the schema. Grants and row-level security are defined in `ownership.ts`. For a tenant that no statistics know,
 * all indexes that begin with the tenant cost the same, and PostgreSQL takes the one that was created last: a key comes
 * after the indexes that share its first two columns. Conditions such as `status is not null`, which all rows meet, keep
 * an index from statements that do not compare this column.
 */
export class Baseline1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of topics) await runner.query(statements);
    // Databases created before PostgreSQL 15 allow every login to create tables.
    await runner.query('revoke create on schema public from public');
  }

  async down(): Promise<void> {
    throw new Error('the first migration cannot be reverted; drop the database instead');
  }
}

// tenant_id of tokens and sessions of operators is the id of the installation, which row-level security hides from
// transactions of tenants.
const tenants = `
create table tenants (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now(),
  suspended_at timestamptz
);

create table tenant_deletions (
  tenant_id uuid primary key,
  requested_at timestamptz not null default now(),
  -- The table that is being emptied; null before the first and after the last.
  table_name text,
  -- Rows that this walk over all tables has found.
  found bigint not null default 0,
  -- Rows deleted so far.
  deleted bigint not null default 0
);

create table tenant_quotas (
  tenant_id uuid primary key,
  quotas jsonb not null,
  updated_at timestamptz not null
);

create table operator_policies (
  tenant_id uuid primary key,
  policy jsonb not null,
  updated_at timestamptz not null
);

create table service_tokens (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'auditor', 'admin')),
  tenant_ids uuid[],
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id)
);
create index service_tokens_listed on service_tokens (tenant_id, created_at, id);

create table operator_sessions (
  id uuid not null,
  tenant_id uuid not null,
  kind text not null check (kind in ('admin_token', 'service_token', 'oidc')),
  service_token_id uuid,
  issuer text,
  subject text,
  provider_session text,
  name text,
  role text check (role in ('viewer', 'operator', 'auditor', 'admin')),
  tenant_ids uuid[],
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (tenant_id, id)
);

-- A logout token of the identity provider that was used. Its tenant is the installation.
create table logout_tokens (
  -- SHA-256 of issuer and jti.
  id text not null,
  tenant_id uuid not null,
  expires_at timestamptz not null,
  primary key (tenant_id, id)
);

create table approvals (
  id uuid not null,
  tenant_id uuid not null,
  action text not null,
  resource text,
  input jsonb not null,
  basis jsonb,
  reason text,
  requested_by jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'stale')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_by jsonb,
  decided_at timestamptz,
  decision_reason text,
  operation_id uuid,
  primary key (tenant_id, id)
);
create index approvals_pending on approvals (tenant_id, expires_at) where status = 'pending';
`;

// Without foreign keys to tenants: the log outlives its tenant, and the installation has a chain, too.
const audit = `
-- An entry of the audit log. entry is the text that is hashed; the other columns only find it.
create table audit_entries (
  tenant_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  resource text,
  request_id text,
  entry text not null,
  hash bytea not null,
  mac bytea not null,
  key_id bytea not null,
  primary key (tenant_id, sequence)
);
create index audit_entries_actor on audit_entries (tenant_id, actor, sequence);
create index audit_entries_action on audit_entries (tenant_id, action, sequence);
create index audit_entries_resource on audit_entries (tenant_id, resource, sequence) where resource is not null;
create index audit_entries_request on audit_entries (tenant_id, request_id, sequence) where request_id is not null;
create index audit_entries_time on audit_entries (tenant_id, at, sequence);
create index audit_entries_everywhere on audit_entries (at, id);

-- The newest entry of each chain. Locked while an entry is appended.
create table audit_heads (
  tenant_id uuid primary key,
  sequence bigint not null default 0,
  hash bytea not null,
  at timestamptz not null,
  -- Keyed hash of sequence and hash, which only the head has: an earlier head cannot be made from the entries.
  mac bytea not null,
  key_id bytea not null,
  -- The newest entry that the chain of the installation mentions.
  anchored_sequence bigint not null default 0
);
create index audit_heads_to_anchor on audit_heads (tenant_id) where sequence > anchored_sequence;

-- A key of a chain, encrypted. A gateway that can decrypt none adds another one.
create table audit_keys (
  id uuid not null,
  tenant_id uuid not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index audit_keys_chain on audit_keys (tenant_id, created_at);
`;

/** Keys of clients, links to the subscriber portal, and the jobs that repeated requests started. */
const access = `
create table api_keys (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  connector_id uuid,
  allowed_networks text[],
  primary key (tenant_id, id)
);
-- A request has no tenant before its key is found.
create index api_keys_id on api_keys (id);
create index api_keys_tenant on api_keys (tenant_id, created_at, id);
create index api_keys_connector on api_keys (tenant_id, connector_id, created_at, id) where connector_id is not null;

-- A link to the subscriber portal. A revoked one is deleted.
create table portal_links (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  secret_hash bytea not null,
  webhook_ids uuid[] not null,
  access text not null check (access in ('read', 'send', 'change')),
  -- Shows the bodies of deliveries.
  bodies boolean not null,
  -- The API key that the link ends with; null if an operator has issued it.
  issued_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (tenant_id, id)
);
create index portal_links_id on portal_links (id);
create index portal_links_tenant on portal_links (tenant_id, expires_at);
create index portal_links_expiry on portal_links (expires_at, id);

create table idempotency_keys (
  tenant_id uuid not null references tenants (id) on delete cascade,
  key text not null,
  connector_id uuid not null,
  job_id uuid not null,
  expires_at timestamptz not null,
  primary key (tenant_id, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
`;

/** Sources, their schedules, checkpoints and health, and probes that operators request. */
const connectors = `
create table connectors (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  type text not null,
  name text not null,
  priority integer not null,
  records text not null,
  config jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  safeguard jsonb not null default '{}',
  config_version integer not null default 1,
  schedule jsonb,
  planned_schedule jsonb,
  primary key (tenant_id, id)
);
create unique index connectors_name on connectors (tenant_id, name) where deleted_at is null;
create index connectors_tenant on connectors (tenant_id, created_at, id);
create index connectors_to_plan on connectors (id)
  where schedule is distinct from planned_schedule and deleted_at is null;

create table connector_secrets (
  connector_id uuid not null,
  tenant_id uuid not null,
  ciphertext bytea not null,
  names text[] not null,
  primary key (tenant_id, connector_id)
);

create table connector_states (
  connector_id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  checkpoint jsonb,
  checkpoint_at timestamptz,
  config_version integer,
  runs_since_full integer not null default 0,
  due_at timestamptz,
  next_run_at timestamptz,
  last_due_at timestamptz,
  skipped_at timestamptz,
  skipped_because text,
  last_job_id uuid,
  failures integer not null default 0,
  last_failed_at timestamptz,
  complete_as_of timestamptz,
  primary key (tenant_id, connector_id)
);
create index connector_states_due on connector_states (next_run_at) where next_run_at is not null;

create table connector_probes (
  id uuid not null,
  tenant_id uuid not null,
  connector_id uuid not null,
  kind text not null check (kind in ('test', 'discover')),
  status text not null default 'queued' check (status in ('queued', 'done', 'failed')),
  result jsonb,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (tenant_id, id)
);
`;

/** Resources that identity providers push. */
const scim = `
-- Position of the latest push to a connector.
create table scim_positions (
  connector_id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  last bigint not null default 0,
  -- Tombstones up to this position are deleted.
  forgotten bigint not null default 0,
  -- When the connector was deleted; its pushed resources are deleted in batches.
  deleted_at timestamptz,
  -- Number of users and of groups that exist.
  users bigint not null default 0,
  groups bigint not null default 0,
  primary key (tenant_id, connector_id)
);

create table scim_resources (
  tenant_id uuid not null references tenants (id) on delete cascade,
  connector_id uuid not null,
  kind text not null check (kind in ('User', 'Group')),
  id uuid not null,
  name_key text not null,
  external_key text,
  document jsonb not null,
  version integer not null default 1,
  position bigint,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  deleted_at timestamptz,
  former_key text,
  primary key (tenant_id, connector_id, kind, id)
);
create unique index scim_resources_user_name on scim_resources (tenant_id, name_key)
  where kind = 'User' and deleted_at is null;
create index scim_resources_group_name on scim_resources (tenant_id, name_key, id)
  where kind = 'Group' and deleted_at is null;
create index scim_resources_external on scim_resources (tenant_id, external_key, id)
  where deleted_at is null and external_key is not null;
create index scim_resources_position on scim_resources (tenant_id, connector_id, position, id)
  where position is not null;
create index scim_resources_tombstones on scim_resources (deleted_at, id) where deleted_at is not null;
create index scim_resources_former on scim_resources (tenant_id, former_key, position) where former_key is not null;

-- Membership of a user or group in a group.
create table scim_members (
  group_id uuid not null,
  member_id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  primary key (tenant_id, group_id, member_id)
);
create index scim_members_member on scim_members (tenant_id, member_id, group_id) where member_id is not null;
`;

/** Jobs, the batches that the sync-worker hands to the directory, and the records that failed. */
const jobs = `
create table sync_jobs (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  connector_id uuid not null,
  status text not null default 'queued'
    check (status in ('queued', 'running', 'quarantined', 'completed', 'completed_with_errors', 'failed', 'cancelled')),
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
  batches_announced integer not null default 0,
  batches_processed integer not null default 0,
  batches_total integer,
  attempts integer not null default 0,
  lease_token bigint not null default 0,
  lease_owner text,
  lease_until timestamptz,
  dry_run boolean not null default false,
  records_deleted bigint not null default 0,
  note text,
  decision jsonb,
  sweep_asked_at timestamptz,
  mode text not null default 'auto' check (mode in ('auto', 'full', 'changes', 'record')),
  since jsonb,
  config_version integer,
  why_full text,
  checkpoint jsonb,
  scheduled_for timestamptz,
  last_record_at timestamptz,
  external_id text,
  outcome text check (outcome in ('created', 'updated', 'unchanged', 'deleted', 'absent', 'refused')),
  traceparent text,
  error_code text,
  source_message text,
  records_retried bigint not null default 0,
  fields_left_out bigint not null default 0,
  retires boolean not null default false,
  records_suppressed bigint not null default 0,
  constraint sync_jobs_record_check check ((mode = 'record') = (external_id is not null)),
  primary key (tenant_id, id)
);
create unique index sync_jobs_one_queued on sync_jobs (tenant_id, connector_id) where status = 'queued' and not keyed;
create index sync_jobs_unfinished on sync_jobs (tenant_id, connector_id, id)
  where status in ('queued', 'running', 'quarantined') and connector_id is not null;
create index sync_jobs_finished on sync_jobs (completed_at) where completed_at is not null;
create index sync_jobs_sweeping on sync_jobs (sweep_asked_at) where sweep_asked_at is not null;
create unique index sync_jobs_scheduled on sync_jobs (tenant_id, connector_id, scheduled_for)
  where scheduled_for is not null;
create index sync_jobs_waiting on sync_jobs (tenant_id, connector_id, id) where status = 'queued' and mode <> 'record';
create index sync_jobs_records_unfinished on sync_jobs (id) where mode = 'record' and status in ('queued', 'running');
create index sync_jobs_records on sync_jobs (tenant_id, connector_id, last_record_at) where mode = 'record';
create index sync_jobs_source_message on sync_jobs (tenant_id, connector_id) where source_message is not null;
create unique index sync_jobs_running on sync_jobs (tenant_id, connector_id)
  where status = 'running' and mode <> 'record';
create index sync_jobs_quarantined on sync_jobs (tenant_id, connector_id, id)
  where status = 'quarantined' and mode <> 'record';
create index sync_jobs_by_status on sync_jobs (tenant_id, status, id) where status is not null;
create index sync_jobs_connector on sync_jobs (tenant_id, connector_id, id) where connector_id is not null;

create table sync_batches (
  job_id uuid not null,
  seq integer not null,
  tenant_id uuid not null,
  connector_id uuid not null,
  records text not null,
  announced_at timestamptz not null default now(),
  primary key (tenant_id, job_id, seq),
  foreign key (tenant_id, job_id) references sync_jobs (tenant_id, id) on delete cascade
);
-- Read once, seconds later, and not worth the time of compressing them.
alter table sync_batches alter column records set storage external;

-- The part of a batch that is about to be applied, so that a part that stopped the process can be identified.
create table batches_begun (
  job_id uuid not null,
  seq integer not null,
  tenant_id uuid not null,
  process_id uuid,
  first integer,
  beyond integer,
  stops integer not null default 0,
  cuts integer[] not null default '{}',
  left_out integer[] not null default '{}',
  primary key (tenant_id, job_id, seq),
  foreign key (tenant_id, job_id) references sync_jobs (tenant_id, id) on delete cascade
);

create table sync_record_errors (
  job_id uuid not null,
  id uuid not null,
  tenant_id uuid not null,
  line bigint,
  external_id text,
  message text not null,
  hides_others boolean not null default false,
  source_message text,
  field text,
  primary key (tenant_id, job_id, id),
  foreign key (tenant_id, job_id) references sync_jobs (tenant_id, id) on delete cascade
);
create index sync_record_errors_record on sync_record_errors (tenant_id, external_id) where external_id is not null;

create table failing_records (
  id uuid not null,
  connector_id uuid not null,
  tenant_id uuid not null,
  job_id uuid not null,
  external_id text,
  line bigint,
  message text not null,
  first_failed_at timestamptz not null default now(),
  last_failed_at timestamptz not null default now(),
  source_message text,
  retries integer not null default 0,
  retry_at timestamptz,
  field text,
  primary key (tenant_id, connector_id, id),
  foreign key (tenant_id, job_id) references sync_jobs (tenant_id, id) on delete cascade
);
create unique index failing_records_anchor on failing_records (tenant_id, connector_id, external_id)
  where external_id is not null;
create unique index failing_records_line on failing_records (tenant_id, connector_id, line) where external_id is null;
create index failing_records_job on failing_records (tenant_id, job_id) where job_id is not null;
`;

/** Records that a job has seen, and the plan of a job that is held or a dry run. */
const sweeps = `
create table seen_records (
  job_id uuid not null,
  seq integer not null,
  tenant_id uuid not null,
  connector_id uuid not null,
  record_ids uuid[] not null,
  -- Records of a batch that proves nothing about others: of an incremental or single-record run. In a full run those of
  -- recordIds whose row in this batch does not count, because another row of the same id does.
  named_ids uuid[] not null default '{}',
  primary key (tenant_id, job_id, seq)
);
alter table seen_records alter column record_ids set storage external, alter column named_ids set storage external;
create index seen_records_connector on seen_records (tenant_id, connector_id) where connector_id is not null;

create table sync_plans (
  job_id uuid not null,
  tenant_id uuid not null,
  connector_id uuid not null,
  state text not null default 'open' check (state in ('open', 'held', 'ready', 'done')),
  known integer,
  deletions integer not null default 0,
  disables integer not null default 0,
  note text,
  reasons jsonb not null default '[]',
  losses integer not null default 0,
  lost_identity_ids uuid[] not null default '{}',
  primary key (tenant_id, job_id)
);
create index sync_plans_connector on sync_plans (tenant_id, connector_id, job_id) where connector_id is not null;
create index sync_plans_harm on sync_plans (tenant_id, connector_id, job_id) where deletions > 0 or disables > 0;
create index sync_plans_unapplied on sync_plans (tenant_id, job_id) where state <> 'done';
create index sync_plans_losses on sync_plans (tenant_id, job_id) where losses > 0;

create table sync_plan_entries (
  id bigint generated always as identity,
  job_id uuid not null,
  tenant_id uuid not null,
  seq integer not null,
  action text not null check (action in ('create', 'update', 'disable', 'delete')),
  record_id uuid not null,
  kind text not null,
  external_id text not null,
  identity_id uuid,
  changes jsonb not null,
  incoming text,
  based_on timestamptz,
  done boolean not null default false,
  moved_from text,
  resembles_id uuid,
  resembles_by text,
  changed_fields text[] not null default '{}',
  primary key (tenant_id, job_id, id),
  foreign key (tenant_id, job_id) references sync_plans (tenant_id, job_id) on delete cascade
);
create index sync_plan_entries_open on sync_plan_entries (tenant_id, job_id, id) where not done;
create index sync_plan_entries_anchor on sync_plan_entries (tenant_id, job_id, external_id)
  where external_id is not null;
create index sync_plan_entries_deletions on sync_plan_entries (tenant_id, job_id, identity_id) where action = 'delete';
`;

/** Identities, the records of sources that form them, and the groups and people that records name. */
const directory = `
create table identities (
  id uuid not null,
  tenant_id uuid not null,
  display_name text,
  status text not null check (status in ('pending', 'active', 'suspended', 'inactive', 'deleted')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  document text not null,
  purge_at timestamptz,
  derived_by smallint not null default 1,
  primary key (tenant_id, id)
);
create index identities_derived on identities (tenant_id, derived_by) where derived_by >= 0;
create index identities_listed on identities (tenant_id, created_at, id) where status <> 'deleted';
create index identities_by_status on identities (tenant_id, status, created_at, id) where status is not null;
create index identities_purge on identities (tenant_id, purge_at) where purge_at is not null;
create index identities_changes on identities (tenant_id, updated_at, created_at, id, status)
  where updated_at is not null;

create table source_records (
  id uuid not null,
  tenant_id uuid not null,
  kind text not null check (kind in ('user', 'account', 'machine_identity')),
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
  linked_by uuid,
  decided boolean not null default false,
  machine jsonb,
  status_since timestamptz not null,
  due_at timestamptz,
  previous jsonb,
  weight integer not null default 0,
  manager_id uuid,
  evidence jsonb,
  search_terms text not null default '',
  list_terms text,
  kept_identity_id uuid,
  derived_by smallint not null default 1,
  primary key (tenant_id, id)
);
create index source_records_derived on source_records (tenant_id, derived_by) where derived_by >= 0;
create index source_records_identity on source_records (tenant_id, identity_id) where identity_id is not null;
create index source_records_users on source_records (tenant_id, created_at, id)
  where kind = 'user' and status <> 'deleted';
create index source_records_users_by_status on source_records (tenant_id, status, created_at, id) where kind = 'user';
create index source_records_users_changed on source_records (tenant_id, updated_at) where kind = 'user';
create index source_records_living on source_records (tenant_id, connector_id, id)
  where status not in ('deleted', 'decommissioned');
create index source_records_due on source_records (tenant_id, due_at) where due_at is not null;
create index source_records_others on source_records (tenant_id, id) where kind <> 'user';
create index source_records_users_changes on source_records (tenant_id, updated_at, created_at, id, status)
  where kind = 'user';
create index source_records_manager on source_records (tenant_id, manager_id, created_at, id)
  where manager_id is not null;
create index source_records_accounts on source_records (tenant_id, created_at, id, status, updated_at)
  where kind = 'account';
create index source_records_unmatched on source_records (tenant_id, created_at, id, status, updated_at)
  where kind = 'account' and identity_id is null;
create index source_records_machines on source_records (tenant_id, created_at, id, status, updated_at)
  where kind = 'machine_identity';
-- The condition keeps it from look-ups by external id.
create index source_records_source on source_records (tenant_id, connector_id, created_at, id)
  where created_at > '-infinity';
create unique index source_records_anchor on source_records (tenant_id, connector_id, external_id)
  where external_id is not null;
create index source_records_kept on source_records (tenant_id, kept_identity_id) where kept_identity_id is not null;
create index source_records_of_source on source_records (tenant_id, kind, connector_id, created_at, id, status)
  where kind <> 'user';
create index source_records_by_risk on source_records
  (tenant_id, (coalesce(- (machine -> 'risk' ->> 'score')::numeric, 1)), created_at, id)
  where kind = 'machine_identity';

-- The term is stored, because under row-level security a join by an expression would not use the index of terms.
create table groups (
  id uuid not null,
  tenant_id uuid not null,
  connector_id uuid not null,
  name text not null,
  term text collate "C" not null,
  -- When the first member was stored.
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index groups_listed on groups (tenant_id, created_at, id);
create index groups_source on groups (tenant_id, connector_id, created_at, id) where connector_id is not null;

create table machine_references (
  tenant_id uuid not null,
  record_id uuid not null,
  role text not null check (role in ('owned_by', 'manager_id', 'technical_inheritor')),
  value text,
  identity_id uuid,
  primary key (tenant_id, record_id, role)
);
create index machine_references_value on machine_references (tenant_id, value) where value is not null;
create index machine_references_identity on machine_references (tenant_id, identity_id) where identity_id is not null;

-- People that managers and machine references named earlier, which an erasure has to find.
create table former_references (
  tenant_id uuid not null,
  identity_id uuid not null,
  record_id uuid not null,
  texts text[] not null,
  primary key (tenant_id, identity_id, record_id)
);
create index former_references_record on former_references (tenant_id, record_id) where record_id is not null;
`;

/** Match keys, records that wait for a match, and cases for operators. */
const matching = `
create table matching_rules (
  tenant_id uuid primary key,
  rules jsonb not null,
  updated_at timestamptz not null,
  -- Earlier rules by which some records are still matched; null if all are matched by the present ones.
  former jsonb
);

create table correlation_keys (
  tenant_id uuid not null,
  kind text not null,
  value text not null,
  identity_id uuid,
  shared text check (shared in ('contested', 'common')),
  primary key (tenant_id, kind, value)
);

create table contested_keys (
  tenant_id uuid not null,
  kind text not null,
  value text not null,
  record_id uuid not null,
  primary key (tenant_id, kind, value, record_id)
);
create index contested_keys_record on contested_keys (tenant_id, record_id) where record_id is not null;

create table waiting_records (
  tenant_id uuid not null,
  kind text not null,
  value text not null,
  record_id uuid not null,
  primary key (tenant_id, kind, value, record_id)
);
create index waiting_records_record on waiting_records (tenant_id, record_id) where record_id is not null;

create table weak_keys (
  tenant_id uuid not null,
  value text not null,
  connector_id uuid not null,
  record_id uuid not null,
  primary key (tenant_id, value, connector_id, record_id)
);
create index weak_keys_record on weak_keys (tenant_id, record_id) where record_id is not null;

create table match_queue (
  tenant_id uuid not null,
  record_id uuid not null,
  primary key (tenant_id, record_id)
);

create table review_cases (
  id uuid not null,
  tenant_id uuid not null,
  record_id uuid not null,
  kind text not null check (kind in ('contested', 'weak')),
  status text not null default 'open' check (status in ('open', 'linked', 'new', 'ignored', 'settled')),
  reason text not null,
  candidates jsonb not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  operation_id uuid,
  primary key (tenant_id, id)
);
create unique index review_cases_open on review_cases (tenant_id, record_id) where status = 'open';
create index review_cases_listed on review_cases (tenant_id, status, id) where status is not null;
create index review_cases_record on review_cases (tenant_id, record_id, id) where record_id is not null;
`;

/** Merged identities, and earlier states of identities and records. */
const history = `
create table identity_redirects (
  id uuid not null,
  tenant_id uuid not null,
  into_id uuid not null,
  created_at timestamptz not null,
  merged_at timestamptz not null,
  primary key (tenant_id, id)
);
create index identity_redirects_into on identity_redirects (tenant_id, into_id) where into_id is not null;

create table identity_versions (
  id bigint generated always as identity,
  tenant_id uuid not null,
  identity_id uuid not null,
  valid_until timestamptz not null,
  -- Empty if intoId is set.
  document text not null,
  -- The identity to which the id led until then, if it was merged.
  into_id uuid,
  primary key (tenant_id, identity_id, valid_until, id)
);

create table record_versions (
  id bigint generated always as identity,
  tenant_id uuid not null,
  record_id uuid not null,
  valid_until timestamptz not null,
  document text not null,
  primary key (tenant_id, record_id, valid_until, id)
);
`;

/** Terms by which records are found, and counts for lists, so that no documents are read for them. */
const lists = `
-- The "C" collation makes a prefix an index range.
create table search_terms (
  tenant_id uuid not null,
  term text collate "C" not null,
  record_id uuid not null,
  primary key (tenant_id, term, record_id)
);

-- The creation time is part of the key, so that a page of one term is a range of it.
create table list_terms (
  tenant_id uuid not null,
  term text collate "C" not null,
  created_at timestamptz not null,
  record_id uuid not null,
  primary key (tenant_id, term, created_at, record_id)
);

create table directory_counters (
  tenant_id uuid not null,
  resource text not null,
  status text not null,
  count bigint not null,
  primary key (tenant_id, resource, status)
);

-- Counts by creation time, so that deep pages are found without an index scan.
create table list_positions (
  tenant_id uuid not null,
  resource text not null,
  level smallint not null,
  bucket bigint not null,
  status text not null,
  count bigint not null,
  primary key (tenant_id, resource, level, bucket, status)
) with (fillfactor = 70);

`;

/** Settings of a tenant, operations of operators, and the next time-based work. */
const policies = `
create table attribute_priorities (
  tenant_id uuid not null,
  field text not null,
  connector_id uuid not null,
  priority integer not null,
  primary key (tenant_id, field, connector_id)
);

create table lifecycle_policies (
  tenant_id uuid primary key,
  policy jsonb not null,
  updated_at timestamptz not null
);

create table operations (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  type text not null,
  input jsonb not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'cancelled', 'refused', 'held')),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  result jsonb,
  undo jsonb,
  reverted_by uuid,
  announced_at timestamptz not null default now(),
  -- Position of a change that is made in parts.
  progress jsonb,
  primary key (tenant_id, id)
);
create index operations_outcomes on operations (tenant_id, type) where type in ('job.undo', 'plan.apply');
create index operations_losses on operations (tenant_id, ended_at) where result ? 'access_lost';
create index operations_unfinished on operations (tenant_id, announced_at) where status in ('queued', 'running');

-- When the directory next has time-based work for a tenant.
create table due_tenants (
  tenant_id uuid primary key,
  next_at timestamptz not null,
  -- The tenant's event sequence when its work was last done; a later change makes the tenant due.
  seen_last bigint,
  seen_last_at timestamptz,
  -- Number of times that work was noted, so that work noted during a pass is not lost.
  notes bigint not null default 0,
  -- The derivation up to which all rows are known to be.
  derived_by smallint not null default 0
);
`;

/** Findings and the progress of their evaluation. */
const findings = `
create table findings (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  kind text not null,
  subject_id uuid not null,
  identity_id uuid,
  evidence jsonb not null,
  state text not null default 'open' check (state in ('open', 'accepted', 'resolved')),
  opened_at timestamptz not null,
  resolved_at timestamptz,
  accepted_by text,
  accepted_reason text,
  accepted_at timestamptz,
  accepted_until timestamptz,
  primary key (tenant_id, id)
);
create unique index findings_unresolved on findings (tenant_id, kind, subject_id) where state <> 'resolved';
create index findings_listed on findings (tenant_id, state, kind, id) where state is not null;
create index findings_subject on findings (tenant_id, subject_id, id) where subject_id is not null;
create index findings_identity on findings (tenant_id, identity_id, id) where identity_id is not null;
create index findings_checked on findings (tenant_id, id) where state <> 'resolved';
create index findings_expiring on findings (tenant_id, accepted_until) where state = 'accepted';
create index findings_resolved on findings (tenant_id, resolved_at) where state = 'resolved';
create index findings_open on findings (kind) where state = 'open';

-- Progress of the evaluation of a tenant's findings.
create table finding_passes (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  phase text not null default 'users' check (phase in ('users', 'others', 'findings')),
  after_at timestamptz,
  after_id uuid,
  began_at timestamptz not null,
  -- The tenant's last event when the pass began; a later event makes another pass necessary.
  began_sequence bigint not null,
  -- The last event whose subjects were evaluated during the pause after the pass.
  followed_sequence bigint not null,
  spent_ms integer not null default 0,
  ended_at timestamptz
);

create table finding_policies (
  tenant_id uuid primary key,
  policy jsonb not null,
  updated_at timestamptz not null
);
`;

/** Keyed hashes by which records of erased people are left out. */
const suppression = `
create table suppressions (
  id uuid not null,
  tenant_id uuid not null,
  identity_id uuid not null,
  operation_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index suppressions_tenant on suppressions (tenant_id, created_at, id);

create table suppression_hashes (
  tenant_id uuid not null,
  hash bytea not null,
  suppression_id uuid not null,
  primary key (tenant_id, hash, suppression_id)
);
create index suppression_hashes_suppression on suppression_hashes (tenant_id, suppression_id)
  where suppression_id is not null;

create table suppression_keys (
  tenant_id uuid primary key,
  ciphertext bytea not null
);
`;

/** Events in the order of a tenant, and the position up to which they are fanned out. */
const events = `
create table event_sequences (
  tenant_id uuid primary key,
  last bigint not null,
  last_at timestamptz
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
  -- Trace context of the operation that caused the event.
  traceparent text,
  primary key (tenant_id, sequence)
);
create index events_identity on events (tenant_id, identity_id, sequence) where identity_id is not null;
create index events_subject on events (tenant_id, subject_id) where subject_id is not null;

-- The last event of a tenant that was fanned out.
create table fan_out_positions (
  tenant_id uuid primary key,
  sequence bigint not null
);

create table event_payloads (
  tenant_id uuid not null,
  sequence bigint not null,
  event_id uuid not null,
  body text not null,
  traceparent text,
  primary key (tenant_id, sequence)
);
`;

/** Webhooks and how they are signed. */
const webhooks = `
create table webhooks (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  callback_url text not null,
  events text[] not null,
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deactivated_at timestamptz,
  deactivated_by uuid,
  tested_at timestamptz,
  filter jsonb,
  payload text not null default 'full',
  header_names text[] not null default '{}',
  primary key (tenant_id, id)
);
create index webhooks_tenant on webhooks (tenant_id, created_at, id);

create table webhook_secrets (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (tenant_id, webhook_id, id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
);

create table webhook_signing_keys (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  public_key text not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (tenant_id, webhook_id, id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
);

create table webhook_headers (
  webhook_id uuid not null,
  tenant_id uuid not null,
  ciphertext bytea not null,
  primary key (tenant_id, webhook_id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
);
`;

/** Deliveries and their attempts, the state of endpoints, and replays. */
const deliveries = `
-- Claiming changes only unindexed columns, and finishing an attempt fills empty columns. Free space in the page keeps
-- the new row version beside the old one (HOT), so that no index grows.
create table webhook_deliveries (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_sequence bigint not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
  created_at timestamptz not null default now(),
  event_type text not null,
  attempts integer not null default 0,
  tries integer not null default 0,
  is_retry boolean not null default false,
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  ended_at timestamptz,
  thin boolean not null default false,
  primary key (tenant_id, id)
) with (fillfactor = 70);
create unique index webhook_deliveries_once on webhook_deliveries (tenant_id, webhook_id, event_sequence)
  where webhook_id is not null;
create index webhook_deliveries_first on webhook_deliveries (tenant_id, webhook_id, event_sequence)
  where status = 'pending' and not is_retry;
create index webhook_deliveries_retry on webhook_deliveries (tenant_id, webhook_id, due_at)
  where status = 'pending' and is_retry;
create index webhook_deliveries_dead on webhook_deliveries (tenant_id, webhook_id, event_sequence)
  where status = 'dead';
create index webhook_deliveries_retry_sequence on webhook_deliveries (tenant_id, webhook_id, event_sequence)
  where status = 'pending' and is_retry;

create table webhook_attempts (
  delivery_id uuid not null,
  number integer not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text,
  duration_ms integer,
  status_code integer,
  error text,
  response_body text,
  request jsonb,
  response_headers jsonb,
  primary key (tenant_id, delivery_id, number)
) with (fillfactor = 60);
create index webhook_attempts_webhook on webhook_attempts (tenant_id, webhook_id, started_at)
  where webhook_id is not null;

-- Attempts that ended in an hour, counted in the statement that ends them.
create table webhook_hours (
  tenant_id uuid not null,
  hour timestamptz not null,
  webhook_id uuid not null,
  outcome text not null,
  attempts bigint not null,
  primary key (tenant_id, hour, webhook_id, outcome)
) with (fillfactor = 50);

-- State of a webhook's endpoint. It is outdated if the webhook changed after state_since.
create table webhook_endpoints (
  webhook_id uuid not null,
  tenant_id uuid not null,
  state_since timestamptz not null default now(),
  -- Failed attempts since the last success.
  failures integer not null default 0,
  -- How often the circuit breaker opened since the last success.
  trips integer not null default 0,
  open_until timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  failing_since timestamptz,
  -- When a delivery used up its attempts since the last success.
  exhausted_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  -- When an attempt was last requested while the endpoint failed.
  probe_asked_at timestamptz,
  primary key (tenant_id, webhook_id)
);

create table webhook_replays (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  kind text not null check (kind in ('resend', 'replay', 'requeue')),
  filter jsonb not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'cancelled')),
  position bigint not null default 0,
  until_sequence bigint,
  total bigint,
  looked_at bigint not null default 0,
  done bigint not null default 0,
  requested_by text not null,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  announced_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index webhook_replays_queued on webhook_replays (tenant_id, webhook_id) where status = 'queued';
create index webhook_replays_open on webhook_replays (announced_at) where status in ('queued', 'running');
`;

/** Outboxes of services, inboxes of consumers, the queues of the PostgreSQL driver, and running processes. */
const bus = `
create table outbox (
  id bigint generated always as identity primary key,
  producer text not null,
  message_id uuid not null,
  type text not null,
  message text not null,
  created_at timestamptz not null default now()
);
create index outbox_producer on outbox (producer, id);

create table relay_leases (
  producer text primary key,
  token bigint not null,
  owner text not null,
  until timestamptz not null
);

create table inbox (
  consumer text not null,
  message_id uuid not null,
  received_at timestamptz not null default now(),
  primary key (consumer, message_id)
);
create index inbox_age on inbox (consumer, received_at);

create table bus_messages (
  id bigint generated always as identity primary key,
  queue text not null,
  message_id uuid,
  type text not null,
  message text not null,
  attempts integer not null default 0,
  available_at timestamptz not null default now(),
  lease_token uuid,
  created_at timestamptz not null default now(),
  dead_at timestamptz,
  dead_reason text
);
create index bus_messages_due on bus_messages (queue, available_at, id) where dead_at is null;
create index bus_messages_dead on bus_messages (queue, id) where dead_at is not null;
create index bus_messages_dead_message on bus_messages (message_id) where dead_at is not null;

-- A process of a service, as it has last reported.
create table service_processes (
  id uuid primary key,
  service text not null,
  version text not null,
  host text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null default now(),
  broker_connected boolean not null,
  outbox_messages integer not null,
  outbox_lag_seconds double precision not null
);
`;

/**
 * Views of one row each for an autoscaler. Their functions run as the owner, so the autoscaler's login needs no access to
 * tables, and on Citus none to the nodes, to which a view alone connects as the role that reads it.
 */
const autoscaling = `
create function connectors_with_jobs() returns double precision language sql stable security definer
  set search_path = public, pg_temp as $$
  select count(distinct connector_id) from sync_jobs where status in ('queued', 'running') $$;

create view autoscaling_sync_worker as select connectors_with_jobs();

create function batches_unapplied() returns double precision language sql stable security definer
  set search_path = public, pg_temp as $$
  select coalesce(sum(batches_written - batches_processed), 0) from sync_jobs where status = 'running' $$;

create view autoscaling_directory as select batches_unapplied();

create function seconds_due() returns double precision language sql stable security definer
  set search_path = public, pg_temp as $$
  select coalesce(max(extract(epoch from now() - due.due_at)), 0)
    from webhooks w left join webhook_endpoints e on e.tenant_id = w.tenant_id and e.webhook_id = w.id
   cross join lateral (
     (select due_at from webhook_deliveries where tenant_id = w.tenant_id and webhook_id = w.id and status = 'pending'
         and not is_retry and (lease_until is null or lease_until < now()) order by event_sequence limit 1)
     union all
     (select due_at from webhook_deliveries where tenant_id = w.tenant_id and webhook_id = w.id and status = 'pending'
         and is_retry and due_at <= now() and (lease_until is null or lease_until < now()) order by due_at limit 1)
   ) as due
   where w.active and (e.open_until is null or e.open_until < now()) $$;

create view autoscaling_webhook_dispatcher as select seconds_due();

revoke execute on function connectors_with_jobs, batches_unapplied, seconds_due from public;
`;

/** For previews of changes. */
const previews = `
-- Creates empty temporary copies of tables, which hide them from the directory until the end of the transaction. Runs
-- with the rights of its owner, because services may not create temporary tables.
create function create_copies(names text[]) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  for nth in 1 .. cardinality(names) loop
    execute format('create temporary table %1$I (like public.%1$I including all) on commit drop', names[nth]);
    execute format('grant select, insert, update, delete on pg_temp.%1$I to idsync_directory', names[nth]);
  end loop;
end $$;
revoke execute on function create_copies from public;
grant execute on function create_copies to idsync_directory;
`;

const topics = [
  tenants,
  audit,
  access,
  connectors,
  scim,
  jobs,
  sweeps,
  directory,
  matching,
  history,
  lists,
  policies,
  findings,
  suppression,
  events,
  webhooks,
  deliveries,
  bus,
  autoscaling,
  previews,
];
