import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds resources that identity providers push, and API keys of a single connector. */
export class ScimPush1700000000023 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table api_keys add column connector_id uuid;
create index api_keys_connector on api_keys (tenant_id, connector_id, created_at, id) where connector_id is not null;

-- A push takes the next number of its connector, so a reader that has reached a number has missed nothing before it.
create table scim_positions (
  connector_id uuid constraint scim_positions_pkey primary key,
  tenant_id uuid not null constraint scim_positions_tenant_id_fkey references tenants (id) on delete cascade,
  last bigint not null default 0,
  forgotten bigint not null default 0,
  deleted_at timestamptz
);

-- On tables without statistics, PostgreSQL may take any index with a matching prefix, so each query has a fitting one.
create table scim_resources (
  tenant_id uuid not null constraint scim_resources_tenant_id_fkey references tenants (id) on delete cascade,
  connector_id uuid,
  kind text constraint scim_resources_kind_check check (kind in ('User', 'Group')),
  id uuid,
  name_key text not null,
  external_key text,
  document jsonb not null,
  version integer not null default 1,
  position bigint,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint scim_resources_pkey primary key (connector_id, kind, id)
);
create unique index scim_resources_user_name on scim_resources (name_key) where kind = 'User' and deleted_at is null;
create index scim_resources_group_name on scim_resources (name_key, id) where kind = 'Group' and deleted_at is null;
create index scim_resources_external on scim_resources (external_key, id) where deleted_at is null;
create index scim_resources_position on scim_resources (connector_id, position, id) where position is not null;
create index scim_resources_tombstones on scim_resources (deleted_at, id) where deleted_at is not null;

create table scim_members (
  group_id uuid,
  member_id uuid,
  tenant_id uuid not null constraint scim_members_tenant_id_fkey references tenants (id) on delete cascade,
  constraint scim_members_pkey primary key (group_id, member_id)
);
create index scim_members_member on scim_members (member_id, group_id);

-- Pushes create many jobs, so searches for plans must read only a few of them.
drop index sync_plans_connector;
create index sync_plans_connector on sync_plans (connector_id, job_id);
create index sync_plans_harm on sync_plans (connector_id, job_id) where deletions > 0 or disables > 0;
`;

const down = `
drop index sync_plans_harm, sync_plans_connector;
create index sync_plans_connector on sync_plans (connector_id);
drop table scim_members, scim_resources, scim_positions;
drop index api_keys_connector;
delete from api_keys where connector_id is not null;
alter table api_keys drop column connector_id;
`;
