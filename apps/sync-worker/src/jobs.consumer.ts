import type { Message } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import {
  applyProgress,
  cancelRequestedJob,
  endSweep,
  failSweep,
  failUnappliedBatch,
  quarantine,
  readOvertakenRecords,
  releaseJob,
} from './job-messages.js';
import { JobScheduler } from './job-scheduler.service.js';
import { runProbe } from './run-probe.js';
import { SyncContext } from './sync-context.js';

@Controller()
export class JobsConsumer {
  private readonly database: Database;

  constructor(
    private readonly context: SyncContext,
    private readonly scheduler: JobScheduler,
  ) {
    this.database = context.database;
  }

  /**
   * Acknowledges the message immediately, because the job is stored and the scheduler claims it when there is capacity.
   */
  @On('sync.job.requested')
  requested(): void {
    this.scheduler.wake();
  }

  @On('sync.job.cancel_requested')
  async cancelRequested(message: Message<'sync.job.cancel_requested'>): Promise<void> {
    const cancelled = await cancelRequestedJob(this.database, message);
    if (cancelled) this.scheduler.jobEnded(message.data.job_id);
  }

  @On('sync.record.overtaken')
  async overtaken(message: Message<'sync.record.overtaken'>): Promise<void> {
    await readOvertakenRecords(this.database, message);
    this.scheduler.wake();
  }

  @On('sync.job.release_requested')
  async releaseRequested(message: Message<'sync.job.release_requested'>): Promise<void> {
    await releaseJob(this.database, message);
  }

  @On('sync.batch.applied')
  async applied(message: Message<'sync.batch.applied'>): Promise<void> {
    const last = await applyProgress(this.context, message);
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

  @On('connector.probe.requested')
  async probeRequested(message: Message<'connector.probe.requested'>): Promise<void> {
    await runProbe(this.context, message);
  }
}
