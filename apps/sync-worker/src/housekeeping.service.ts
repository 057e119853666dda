import { Housekeeping } from '@idsync/messaging';
import { Injectable } from '@nestjs/common';
import { chores } from './chores.js';
import { JobScheduler } from './job-scheduler.service.js';
import { Observation } from './observation.service.js';
import { batchSize, createDueJobs } from './scheduled-runs.js';
import { SyncContext } from './sync-context.js';

@Injectable()
export class SyncHousekeeping extends Housekeeping {
  constructor(context: SyncContext) {
    super(chores(context), context.settings.housekeepingMs, context.log);
  }
}

@Injectable()
export class Schedules extends Housekeeping {
  constructor(context: SyncContext, scheduler: JobScheduler, { schedulePolls }: Observation) {
    const created = () => scheduler.wake();
    const polled = (lagSeconds: number) => schedulePolls.note(lagSeconds);
    const run = () => createDueJobs(context, created, polled);
    super([{ name: 'creating scheduled jobs', batchSize, run }], context.settings.schedulePollMs, context.log);
  }
}
