import type { Message } from '@idsync/contracts';
import { cancelReplay, Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { replayPart } from './replay.js';

@Controller()
export class ReplaysConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** What becomes due is found by the engine's next look, within a second. */
  @EventPattern<string>('webhook.replay.requested')
  async replay(@Payload() message: Message<'webhook.replay.requested'>): Promise<void> {
    await replayPart(this.database, message);
  }

  @EventPattern<string>('webhook.replay.cancel_requested')
  async cancel(@Payload() { tenant_id: tenantId, data }: Message<'webhook.replay.cancel_requested'>): Promise<void> {
    await this.database.transaction(tenantId, (tx) => cancelReplay(tx, tenantId, data.replay_id));
  }
}
