import { Database } from '@idsync/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { FactsConsumer } from './facts.consumer.js';

@Module({})
export class WebhookDispatcherModule {
  static with(database: Database): DynamicModule {
    return {
      module: WebhookDispatcherModule,
      controllers: [FactsConsumer],
      providers: [{ provide: Database, useValue: database }],
    };
  }
}
