import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { fanOut } from './fan-out.js';

@Controller()
export class FactsConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @EventPattern<string>('facts.recorded')
  async recorded(@Payload() message: Message<'facts.recorded'>): Promise<void> {
    await fanOut(this.database, message);
  }
}
