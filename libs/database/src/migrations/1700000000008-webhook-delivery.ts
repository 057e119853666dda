import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds payloads, deliveries, attempts and the state of endpoints. */
export class WebhookDelivery1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

// Claiming changes only unindexed columns, and finishing an attempt fills empty columns. Free space in the page keeps
// the new row version beside the old one (HOT), so that no index grows.
const up = `
alter table webhook_deliveries set (fillfactor = 70);
alter table webhook_deliveries add column event_type text;
alter table webhook_deliveries no force row level security;
alter table events no force row level security;
update webhook_deliveries d set event_type = coalesce(
  (select e.type from events e where e.tenant_id = d.tenant_id and e.sequence = d.event_sequence), 'unknown');
alter table events force row level security;
alter table webhook_deliveries force row level security;
alter table webhook_deliveries alter column event_type set not null;
alter table webhook_deliveries add column attempts integer not null default 0;
alter table webhook_deliveries add column tries integer not null default 0;
alter table webhook_deliveries add column is_retry boolean not null default false;
alter table webhook_deliveries add column due_at timestamptz not null default now();
alter table webhook_deliveries add column lease_until timestamptz;
alter table webhook_deliveries add column ended_at timestamptz;
alter table webhook_deliveries add constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'dead'));
create index webhook_deliveries_first on webhook_deliveries (webhook_id, event_sequence) where status = 'pending' and not is_retry;
create index webhook_deliveries_retry on webhook_deliveries (webhook_id, due_at) where status = 'pending' and is_retry;
create index webhook_deliveries_dead on webhook_deliveries (webhook_id, event_sequence) where status = 'dead';

create table event_payloads (
  tenant_id uuid not null,
  sequence bigint not null,
  event_id uuid not null,
  body text not null,
  constraint event_payloads_pkey primary key (tenant_id, sequence)
);

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
  constraint webhook_attempts_pkey primary key (delivery_id, number)
) with (fillfactor = 60);
create index webhook_attempts_webhook on webhook_attempts (webhook_id, started_at);

create table webhook_endpoints (
  webhook_id uuid constraint webhook_endpoints_pkey primary key,
  tenant_id uuid not null,
  state_since timestamptz not null default now(),
  failures integer not null default 0,
  trips integer not null default 0,
  open_until timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  failing_since timestamptz,
  exhausted_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text
);

create table webhook_replays (
  id uuid constraint webhook_replays_pkey primary key,
  tenant_id uuid not null,
  webhook_id uuid not null,
  kind text not null,
  filter jsonb not null,
  status text not null default 'queued',
  position bigint not null default 0,
  until_sequence bigint,
  total bigint,
  looked_at bigint not null default 0,
  done bigint not null default 0,
  requested_by text not null,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint webhook_replays_kind_check check (kind in ('resend', 'replay', 'requeue')),
  constraint webhook_replays_status_check check (status in ('queued', 'running', 'done', 'cancelled'))
);
create index webhook_replays_tenant on webhook_replays (tenant_id, id);
`;

const down = `
drop table webhook_replays, webhook_endpoints, webhook_attempts, event_payloads;
drop index webhook_deliveries_dead, webhook_deliveries_retry, webhook_deliveries_first;
alter table webhook_deliveries drop constraint webhook_deliveries_status_check;
alter table webhook_deliveries drop column ended_at, drop column lease_until, drop column due_at,
  drop column is_retry, drop column tries, drop column attempts, drop column event_type;
alter table webhook_deliveries reset (fillfactor);
`;
