import { Database } from '@idsync/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { BatchesConsumer } from './batches.consumer.js';
import { MatchingConsumer } from './matching.consumer.js';
import { OperationsConsumer } from './operations.consumer.js';
import { SweepsConsumer } from './sweeps.consumer.js';

@Module({})
export class DirectoryModule {
  static with(database: Database): DynamicModule {
    return {
      module: DirectoryModule,
      controllers: [BatchesConsumer, MatchingConsumer, OperationsConsumer, SweepsConsumer],
      providers: [{ provide: Database, useValue: database }],
    };
  }
}
