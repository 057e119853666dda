import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/build-index.js';

/** Adds an index of dead letters by the id of their message. */
export class DeadMessages1700000000171 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, {
      name: 'bus_messages_dead_message',
      on: 'bus_messages (message_id) where dead_at is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index bus_messages_dead_message');
  }
}
