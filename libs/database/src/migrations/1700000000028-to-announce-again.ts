import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds indexes for operations and replays whose message may have to be published again. */
export class ToAnnounceAgain1700000000028 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'operations_queued',
      on: `operations (tenant_id, announced_at) where status = 'queued'`,
    });
    await buildIndex(runner, {
      name: 'webhook_replays_open',
      on: `webhook_replays (announced_at) where status in ('queued', 'running')`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index webhook_replays_open; drop index operations_queued');
  }
}
