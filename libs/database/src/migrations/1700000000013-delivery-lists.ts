import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds indexes for operators' lists: retries in event order, and replays that have not begun. */
export class DeliveryLists1700000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create index webhook_deliveries_retry_sequence on webhook_deliveries (webhook_id, event_sequence)
  where status = 'pending' and is_retry;
create index webhook_replays_queued on webhook_replays (webhook_id) where status = 'queued';
`;

const down = `
drop index webhook_replays_queued, webhook_deliveries_retry_sequence;
`;
