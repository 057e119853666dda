import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { proposeMatches } from '../matching/propose-matches.js';
import { giveUpOperation, runOperation } from '../operations/run-operation.js';

@Controller()
export class OperationsConsumer {
  constructor(private readonly database: Database) {}

  @On('directory.operation.requested')
  async run(message: Message<'directory.operation.requested'>): Promise<void> {
    await runOperation(this.database, message);
    // An operation such as a change of rules may queue records for matching.
    await proposeMatches(this.database, message);
  }

  @On('dead.directory.operation.requested')
  async giveUp(message: Message<'directory.operation.requested'>): Promise<void> {
    await giveUpOperation(this.database, message);
  }
}
