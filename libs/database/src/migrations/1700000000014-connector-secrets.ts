import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the secrets and the probes of connectors. */
export class ConnectorSecrets1700000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table connector_secrets (
  connector_id uuid constraint connector_secrets_pkey primary key,
  tenant_id uuid not null,
  ciphertext bytea not null,
  names text[] not null
);

create table connector_probes (
  id uuid constraint connector_probes_pkey primary key,
  tenant_id uuid not null,
  connector_id uuid not null,
  kind text not null,
  status text not null default 'queued',
  result jsonb,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint connector_probes_kind_check check (kind in ('test', 'discover')),
  constraint connector_probes_status_check check (status in ('queued', 'done', 'failed'))
);
`;

const down = 'drop table connector_probes, connector_secrets';
