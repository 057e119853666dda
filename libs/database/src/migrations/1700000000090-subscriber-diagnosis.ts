import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds what a subscriber needs to find out why its webhook is inactive and why a delivery failed. */
export class SubscriberDiagnosis1700000000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table webhooks
  add column deactivated_at timestamptz, add column deactivated_by uuid, add column tested_at timestamptz;
alter table webhook_attempts add column request jsonb, add column response_headers jsonb;
`;

const down = `
alter table webhook_attempts drop column response_headers, drop column request;
alter table webhooks drop column tested_at, drop column deactivated_by, drop column deactivated_at;
`;
