import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the audit log, the addresses of keys, and the settings of a tenant for its operators. */
export class Audit1700000000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

// No foreign keys to tenants: the log outlives its tenant, and the installation has a chain too.
const up = `
create table audit_heads (
  tenant_id uuid not null constraint audit_heads_pkey primary key,
  sequence bigint not null default 0,
  hash bytea not null,
  at timestamptz not null,
  mac bytea not null,
  key_id bytea not null,
  anchored_sequence bigint not null default 0
);
create index audit_heads_to_anchor on audit_heads (tenant_id) where sequence > anchored_sequence;

create table audit_keys (
  id uuid not null constraint audit_keys_pkey primary key,
  tenant_id uuid not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now()
);
create index audit_keys_chain on audit_keys (tenant_id, created_at);

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
  constraint audit_entries_pkey primary key (tenant_id, sequence)
);
create index audit_entries_actor on audit_entries (tenant_id, actor, sequence);
create index audit_entries_action on audit_entries (tenant_id, action, sequence);
create index audit_entries_resource on audit_entries (tenant_id, resource, sequence) where resource is not null;
create index audit_entries_request on audit_entries (tenant_id, request_id, sequence) where request_id is not null;
create index audit_entries_time on audit_entries (tenant_id, at, sequence);
create index audit_entries_everywhere on audit_entries (at, id);

create table operator_policies (
  tenant_id uuid not null constraint operator_policies_pkey primary key,
  policy jsonb not null,
  updated_at timestamptz not null
);
`;

const down = `
drop table operator_policies;
drop table audit_entries;
drop table audit_keys;
drop table audit_heads;
`;
