import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { applyProgress } from './apply-progress.js';
import { endSweep, failSweep } from './end-sweep.js';
import { failUnappliedBatch } from './fail-unapplied-batch.js';
import { JobScheduler } from './job-scheduler.js';
import { quarantine } from './quarantine.js';

@Controller()
export class ProgressConsumer {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(JobScheduler) private readonly scheduler: JobScheduler,
  ) {}

  @EventPattern<string>('sync.batch.applied')
  async applied(@Payload() message: Message<'sync.batch.applied'>): Promise<void> {
    const last = await applyProgress(this.database, message);
    // A source that failed ends its job with its last batch.
    if (last) this.scheduler.wake();
    else this.scheduler.batchApplied(message.data.job_id);
  }

  @EventPattern<string>('sync.sweep.ended')
  async swept(@Payload() message: Message<'sync.sweep.ended'>): Promise<void> {
    if (await endSweep(this.database, message)) this.scheduler.wake();
  }

  @EventPattern<string>('sync.sweep.held')
  async held(@Payload() message: Message<'sync.sweep.held'>): Promise<void> {
    await quarantine(this.database, message);
  }

  @EventPattern<string>('dead.sync.sweep.requested')
  async sweepGivenUp(@Payload() message: Message<'sync.sweep.requested'>): Promise<void> {
    if (await failSweep(this.database, message)) this.scheduler.wake();
  }

  @EventPattern<string>('dead.sync.batch.ready')
  async givenUp(@Payload() message: Message<'sync.batch.ready'>): Promise<void> {
    const failed = await failUnappliedBatch(this.database, message);
    if (failed) this.scheduler.jobEnded(message.data.job_id);
  }

  @EventPattern<string>('dead.sync.record.ready')
  async recordGivenUp(@Payload() message: Message<'sync.record.ready'>): Promise<void> {
    await this.givenUp(message);
  }
}
