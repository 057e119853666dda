import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { cancelRequestedJob } from './cancel-requested-job.js';
import { JobScheduler } from './job-scheduler.service.js';
import { releaseJob } from './quarantine.js';
import { readOvertakenRecords } from './read-overtaken-records.js';

@Controller()
export class JobsConsumer {
  constructor(
    private readonly database: Database,
    private readonly scheduler: JobScheduler,
  ) {}

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
}
