import { WorkerModule } from '@idsync/messaging';
import type { DirectoryConfig } from '@idsync/runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from './background/clock.service.js';
import { Observation } from './background/observation.service.js';
import { TenantDeletions } from './background/tenant-deletions.service.js';
import { ProposedTimes } from './batch/proposed-times.js';
import { WorkGate } from './batch/work-gate.js';
import { BatchesConsumer } from './consumers/batches.consumer.js';
import { MatchingConsumer } from './consumers/matching.consumer.js';
import { OperationsConsumer } from './consumers/operations.consumer.js';
import { SweepsConsumer } from './consumers/sweeps.consumer.js';

@Module({
  controllers: [BatchesConsumer, MatchingConsumer, OperationsConsumer, SweepsConsumer],
  providers: [WorkGate, ProposedTimes, Clock, Observation, TenantDeletions],
})
export class DirectoryModule {
  static forRoot(config: DirectoryConfig): DynamicModule {
    return { module: DirectoryModule, imports: [WorkerModule.forRoot('directory', config)] };
  }
}
