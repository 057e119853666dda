import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { cancelReplay } from '@idsync/database/delivery';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { replayPart } from './replay.js';

@Controller()
export class ReplaysConsumer {
  constructor(private readonly database: Database) {}

  /** The engine's next poll finds the new deliveries within a second. */
  @On('webhook.replay.requested')
  async replay(message: Message<'webhook.replay.requested'>): Promise<void> {
    await replayPart(this.database, message);
  }

  @On('webhook.replay.cancel_requested')
  async cancel({ tenant_id: tenantId, data }: Message<'webhook.replay.cancel_requested'>): Promise<void> {
    await this.database.transaction(tenantId, (tx) => cancelReplay(tx, data.replay_id));
  }
}
