import { Database } from '@idsync/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { FactsConsumer } from './facts.consumer.js';
import { FanOutRunner } from './fan-out-runner.js';
import { ReplaysConsumer } from './replays.consumer.js';

@Module({})
export class WebhookDispatcherModule {
  static with(database: Database, fanOuts: FanOutRunner): DynamicModule {
    return {
      module: WebhookDispatcherModule,
      controllers: [FactsConsumer, ReplaysConsumer],
      providers: [
        { provide: Database, useValue: database },
        { provide: FanOutRunner, useValue: fanOuts },
      ],
    };
  }
}
