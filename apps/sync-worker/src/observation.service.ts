import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { logEnds, SchedulePolls, watchCompleteness, watchJobs } from './metrics.js';
import { SyncContext } from './sync-context.js';

/** Registers the gauges of jobs and schedules, and logs ended jobs. */
@Injectable()
export class Observation implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly schedulePolls = new SchedulePolls();
  private removeGauges: (() => void)[] = [];
  private stopLogging: () => void = () => undefined;

  constructor(private readonly context: SyncContext) {}

  onModuleInit(): void {
    const { database } = this.context;
    this.removeGauges = [this.schedulePolls.watch(), watchJobs(database), watchCompleteness(database)];
    this.stopLogging = logEnds(this.context.log);
  }

  beforeApplicationShutdown(): void {
    for (const remove of this.removeGauges) remove();
  }

  /** Called after all handlers and runs have ended, so that every ended job is logged. */
  onApplicationShutdown(): void {
    this.stopLogging();
  }
}
