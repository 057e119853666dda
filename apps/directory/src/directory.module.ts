import { WorkerModule } from '@idsync/messaging';
import type { DirectoryConfig } from '@idsync/runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from './background/clock.service.js';
import { TenantDeletions } from './background/tenant-deletions.service.js';
import { ProposedTimes } from './batch/proposed-times.js';
import { WorkGate } from './batch/work-gate.js';
import { DirectoryConsumer } from './directory.consumer.js';

@Module({
  controllers: [DirectoryConsumer],
  providers: [WorkGate, ProposedTimes, Clock, TenantDeletions],
})
export class DirectoryModule {
  static forRoot(config: DirectoryConfig): DynamicModule {
    return { module: DirectoryModule, imports: [WorkerModule.forRoot('directory', config)] };
  }
}
