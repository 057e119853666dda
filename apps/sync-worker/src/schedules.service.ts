import { Housekeeping } from '@idsync/messaging';
import { Injectable } from '@nestjs/common';
import { JobScheduler } from './job-scheduler.service.js';
import { Observation } from './observation.service.js';
import { scheduledRuns } from './scheduled-runs.js';
import { SyncContext } from './sync-context.js';

/** Creates due scheduled jobs. */
@Injectable()
export class Schedules extends Housekeeping {
  constructor(context: SyncContext, scheduler: JobScheduler, { schedulePolls }: Observation) {
    const created = () => scheduler.wake();
    const polled = (lagSeconds: number) => schedulePolls.note(lagSeconds);
    super([scheduledRuns(context, created, polled)], context.settings.schedulePollMs, context.log);
  }
}
