import { WorkerModule } from '@idsync/messaging';
import type { DirectoryConfig } from '@idsync/runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { BatchesConsumer } from './batches.consumer.js';
import { Clock } from './clock.service.js';
import { MatchingConsumer } from './matching.consumer.js';
import { Observation } from './observation.service.js';
import { OperationsConsumer } from './operations.consumer.js';
import { ProposedTimes } from './proposed-times.js';
import { SweepsConsumer } from './sweeps.consumer.js';
import { TenantDeletions } from './tenant-deletions.service.js';
import { WorkGate } from './work-gate.js';

@Module({
  controllers: [BatchesConsumer, MatchingConsumer, OperationsConsumer, SweepsConsumer],
  providers: [WorkGate, ProposedTimes, Clock, Observation, TenantDeletions],
})
export class DirectoryModule {
  static forRoot(config: DirectoryConfig): DynamicModule {
    return { module: DirectoryModule, imports: [WorkerModule.forRoot('directory', config)] };
  }
}
