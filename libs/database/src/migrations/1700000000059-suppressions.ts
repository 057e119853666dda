import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the keyed hashes by which records of erased people are left out. */
export class Suppressions1700000000059 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table suppression_keys (
  tenant_id uuid constraint suppression_keys_pkey primary key,
  ciphertext bytea not null
);

create table suppressions (
  id uuid constraint suppressions_pkey primary key,
  tenant_id uuid not null,
  identity_id uuid not null,
  operation_id uuid not null,
  created_at timestamptz not null default now()
);
create index suppressions_tenant on suppressions (tenant_id, created_at, id);

create table suppression_hashes (
  tenant_id uuid not null,
  hash bytea not null,
  suppression_id uuid not null,
  constraint suppression_hashes_pkey primary key (tenant_id, hash, suppression_id)
);
create index suppression_hashes_suppression on suppression_hashes (suppression_id);

alter table sync_jobs add column records_suppressed bigint not null default 0;
`;

const down = `
alter table sync_jobs drop column records_suppressed;
drop table suppression_hashes, suppressions, suppression_keys;
`;
