import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds key pairs, which sign beside the shared secrets of a webhook. */
export class SigningKeys1700000000091 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table webhook_signing_keys (
  id uuid constraint webhook_signing_keys_pkey primary key,
  tenant_id uuid not null,
  webhook_id uuid not null constraint webhook_signing_keys_webhook_id_fkey references webhooks (id) on delete cascade,
  public_key text not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index webhook_signing_keys_webhook on webhook_signing_keys (webhook_id);
`;

const down = 'drop table webhook_signing_keys';
