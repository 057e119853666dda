import { Database } from '@idsync/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { DeliveryEngine } from './delivery/delivery-engine.js';
import { FactsConsumer } from './facts.consumer.js';
import { ReplaysConsumer } from './replays.consumer.js';

@Module({})
export class WebhookDispatcherModule {
  static with(database: Database, engine: DeliveryEngine): DynamicModule {
    return {
      module: WebhookDispatcherModule,
      controllers: [FactsConsumer, ReplaysConsumer],
      providers: [
        { provide: Database, useValue: database },
        { provide: DeliveryEngine, useValue: engine },
      ],
    };
  }
}
