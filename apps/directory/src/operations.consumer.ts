import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { giveUpOperation, runOperation } from './operations/run-operation.js';
import { proposeMatches } from './propose-matches.js';

@Controller()
export class OperationsConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @EventPattern<string>('directory.operation.requested')
  async run(@Payload() message: Message<'directory.operation.requested'>): Promise<void> {
    await runOperation(this.database, message);
    // Other rules, other likenesses: what the operation queued is compared at once.
    await proposeMatches(this.database, message);
  }

  @EventPattern<string>('dead.directory.operation.requested')
  async giveUp(@Payload() message: Message<'directory.operation.requested'>): Promise<void> {
    await giveUpOperation(this.database, message);
  }
}
