import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { applyProgress } from './apply-progress.js';
import { endSweep, failSweep } from './end-sweep.js';
import { failUnappliedBatch } from './fail-unapplied-batch.js';
import { JobScheduler } from './job-scheduler.service.js';
import { quarantine } from './quarantine.js';

@Controller()
export class ProgressConsumer {
  constructor(
    private readonly database: Database,
    private readonly scheduler: JobScheduler,
  ) {}

  @On('sync.batch.applied')
  async applied(message: Message<'sync.batch.applied'>): Promise<void> {
    const last = await applyProgress(this.database, message);
    // After a source failure the last batch ends the job, which frees capacity for another job.
    if (last) this.scheduler.wake();
    else this.scheduler.batchApplied(message.data.job_id);
  }

  @On('sync.sweep.ended')
  async swept(message: Message<'sync.sweep.ended'>): Promise<void> {
    if (await endSweep(this.database, message)) this.scheduler.wake();
  }

  @On('sync.sweep.held')
  async held(message: Message<'sync.sweep.held'>): Promise<void> {
    await quarantine(this.database, message);
  }

  @On('dead.sync.sweep.requested')
  async sweepGivenUp(message: Message<'sync.sweep.requested'>): Promise<void> {
    if (await failSweep(this.database, message)) this.scheduler.wake();
  }

  @On('dead.sync.batch.ready')
  async givenUp(message: Message<'sync.batch.ready'>): Promise<void> {
    const failed = await failUnappliedBatch(this.database, message);
    if (failed) this.scheduler.jobEnded(message.data.job_id);
  }

  @On('dead.sync.record.ready')
  async recordGivenUp(message: Message<'sync.record.ready'>): Promise<void> {
    await this.givenUp(message);
  }
}
