import { Database } from '@idsync/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { JobScheduler } from './job-scheduler.js';
import { JobsConsumer } from './jobs.consumer.js';
import { ProbesConsumer } from './probes.consumer.js';
import { ProgressConsumer } from './progress.consumer.js';
import { contextToken, type SyncContext } from './sync-context.js';

@Module({})
export class SyncWorkerModule {
  static with(context: SyncContext, scheduler: JobScheduler): DynamicModule {
    return {
      module: SyncWorkerModule,
      controllers: [JobsConsumer, ProbesConsumer, ProgressConsumer],
      providers: [
        { provide: Database, useValue: context.database },
        { provide: contextToken, useValue: context },
        { provide: JobScheduler, useValue: scheduler },
      ],
    };
  }
}
