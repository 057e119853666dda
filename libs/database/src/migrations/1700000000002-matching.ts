import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds contested keys, the certainty of links, and redirects of merged identities. */
export class Matching1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table correlation_keys add column shared text
  constraint correlation_keys_shared_check check (shared in ('contested', 'common'));

create table contested_keys (
  tenant_id uuid not null,
  kind text not null,
  value text not null,
  record_id uuid not null,
  constraint contested_keys_pkey primary key (tenant_id, kind, value, record_id)
);
create index contested_keys_record on contested_keys (record_id);

alter table source_records add column linked_by uuid;
alter table source_records add column decided boolean not null default false;

create table identity_redirects (
  id uuid constraint identity_redirects_pkey primary key,
  tenant_id uuid not null,
  into_id uuid not null,
  created_at timestamptz not null,
  merged_at timestamptz not null
);
create index identity_redirects_into on identity_redirects (into_id);

create table matching_rules (
  tenant_id uuid constraint matching_rules_pkey primary key,
  rules jsonb not null,
  updated_at timestamptz not null
);

create table weak_keys (
  tenant_id uuid not null,
  value text not null,
  record_id uuid not null,
  constraint weak_keys_pkey primary key (tenant_id, value, record_id)
);
create index weak_keys_record on weak_keys (record_id);

create table match_queue (
  tenant_id uuid not null,
  record_id uuid not null,
  constraint match_queue_pkey primary key (tenant_id, record_id)
);

create table review_cases (
  id uuid constraint review_cases_pkey primary key,
  tenant_id uuid not null,
  record_id uuid not null,
  kind text not null,
  status text not null default 'open',
  reason text not null,
  candidates jsonb not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  operation_id uuid,
  constraint review_cases_kind_check check (kind in ('contested', 'weak')),
  constraint review_cases_status_check check (status in ('open', 'linked', 'new', 'ignored', 'settled'))
);
create unique index review_cases_open on review_cases (record_id) where status = 'open';
create index review_cases_listed on review_cases (tenant_id, status, id);
create index review_cases_record on review_cases (record_id, id);

create table operations (
  id uuid constraint operations_pkey primary key,
  tenant_id uuid not null constraint operations_tenant_id_fkey references tenants (id) on delete cascade,
  type text not null,
  input jsonb not null,
  status text not null default 'queued',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  result jsonb,
  undo jsonb,
  reverted_by uuid,
  constraint operations_status_check check (status in ('queued', 'done', 'refused'))
);
create index operations_tenant on operations (tenant_id, id);
`;

const down = `
drop table operations, review_cases, match_queue, weak_keys, matching_rules, identity_redirects, contested_keys;
alter table source_records drop column decided, drop column linked_by;
alter table correlation_keys drop column shared;
`;
