import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { sweepJob } from '../sweep/sweep-job.js';

@Controller()
export class SweepsConsumer {
  constructor(private readonly database: Database) {}

  @On('sync.sweep.requested')
  async sweep(message: Message<'sync.sweep.requested'>): Promise<void> {
    await sweepJob(this.database, message);
  }
}
