import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Remembers logout tokens of the identity provider, so that each ends sessions once. */
export class LogoutTokens1700000000111 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table logout_tokens');
  }
}

// tenant_id is the id of the installation, which row-level security hides from transactions of tenants.
const up = `
create table logout_tokens (
  id text not null constraint logout_tokens_pkey primary key,
  tenant_id uuid not null,
  expires_at timestamptz not null
);
`;
