import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { DeliveryEngine } from './delivery/delivery-engine.js';
import { fanOut } from './fan-out.js';

@Controller()
export class FactsConsumer {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(DeliveryEngine) private readonly engine: DeliveryEngine,
  ) {}

  @EventPattern<string>('facts.recorded')
  async recorded(@Payload() message: Message<'facts.recorded'>): Promise<void> {
    this.engine.wake(await fanOut(this.database, message));
  }
}
