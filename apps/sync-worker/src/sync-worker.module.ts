import { Database } from '@idsync/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { JobScheduler } from './job-scheduler.js';
import { JobsConsumer } from './jobs.consumer.js';
import { ProgressConsumer } from './progress.consumer.js';

@Module({})
export class SyncWorkerModule {
  static with(database: Database, scheduler: JobScheduler): DynamicModule {
    return {
      module: SyncWorkerModule,
      controllers: [JobsConsumer, ProgressConsumer],
      providers: [
        { provide: Database, useValue: database },
        { provide: JobScheduler, useValue: scheduler },
      ],
    };
  }
}
