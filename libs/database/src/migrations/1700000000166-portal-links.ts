import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds links to the subscriber portal. */
export class PortalLinks1700000000166 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table portal_links');
  }
}

const up = `
create table portal_links (
  id uuid not null constraint portal_links_pkey primary key,
  tenant_id uuid not null constraint portal_links_tenant_id_fkey references tenants (id) on delete cascade,
  secret_hash bytea not null,
  webhook_ids uuid[] not null,
  access text not null constraint portal_links_access_check check (access in ('read', 'send', 'change')),
  bodies boolean not null,
  issued_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index portal_links_tenant on portal_links (tenant_id, expires_at);
create index portal_links_expiry on portal_links (expires_at, id);
`;
