import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { applyBatch } from './apply-batch.js';

@Controller()
export class BatchesConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @EventPattern<string>('sync.batch.ready')
  async apply(@Payload() message: Message<'sync.batch.ready'>): Promise<void> {
    await applyBatch(this.database, message);
  }

  @EventPattern<string>('sync.record.ready')
  async applyRecord(@Payload() message: Message<'sync.record.ready'>): Promise<void> {
    await applyBatch(this.database, message);
  }
}
