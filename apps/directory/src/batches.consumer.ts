import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { applyBatch } from './apply-batch.js';
import { countBatch } from './metrics.js';

@Controller()
export class BatchesConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @EventPattern<string>('sync.batch.ready')
  async apply(@Payload() message: Message<'sync.batch.ready'>): Promise<void> {
    const began = performance.now();
    const applied = await applyBatch(this.database, message);
    if (applied) countBatch(applied, (performance.now() - began) / 1_000);
  }

  @EventPattern<string>('sync.record.ready')
  async applyRecord(@Payload() message: Message<'sync.record.ready'>): Promise<void> {
    await applyBatch(this.database, message);
  }
}
