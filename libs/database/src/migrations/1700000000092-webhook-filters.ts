import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds what a webhook receives: a filter on the body of events, the form of its payload, and additional headers. */
export class WebhookFilters1700000000092 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table webhooks add column filter jsonb, add column payload text not null default 'full',
  add column header_names text[] not null default '{}';
alter table webhook_deliveries add column thin boolean not null default false;
create table webhook_headers (
  webhook_id uuid constraint webhook_headers_pkey primary key
    constraint webhook_headers_webhook_id_fkey references webhooks (id) on delete cascade,
  tenant_id uuid not null,
  ciphertext bytea not null
);
`;

const down = `
drop table webhook_headers;
alter table webhook_deliveries drop column thin;
alter table webhooks drop column header_names, drop column payload, drop column filter;
`;
