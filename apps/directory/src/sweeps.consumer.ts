import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { sweepJob } from './sweep/sweep-job.js';

@Controller()
export class SweepsConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @EventPattern<string>('sync.sweep.requested')
  async sweep(@Payload() message: Message<'sync.sweep.requested'>): Promise<void> {
    await sweepJob(this.database, message);
  }
}
