import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { cancelRequestedJob } from './cancel-requested-job.js';
import { JobScheduler } from './job-scheduler.js';
import { releaseJob } from './quarantine.js';
import { readOvertakenRecords } from './read-overtaken-records.js';

@Controller()
export class JobsConsumer {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(JobScheduler) private readonly scheduler: JobScheduler,
  ) {}

  /** Acknowledged at once: the job stands in its table, and the scheduler takes it when there is room. */
  @EventPattern<string>('sync.job.requested')
  requested(): void {
    this.scheduler.wake();
  }

  @EventPattern<string>('sync.job.cancel_requested')
  async cancelRequested(@Payload() message: Message<'sync.job.cancel_requested'>): Promise<void> {
    const cancelled = await cancelRequestedJob(this.database, message);
    if (cancelled) this.scheduler.jobEnded(message.data.job_id);
  }

  @EventPattern<string>('sync.record.overtaken')
  async overtaken(@Payload() message: Message<'sync.record.overtaken'>): Promise<void> {
    await readOvertakenRecords(this.database, message);
    this.scheduler.wake();
  }

  @EventPattern<string>('sync.job.release_requested')
  async releaseRequested(@Payload() message: Message<'sync.job.release_requested'>): Promise<void> {
    await releaseJob(this.database, message);
  }
}
