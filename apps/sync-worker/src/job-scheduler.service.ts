import type { Database } from '@idsync/database';
import { type ClaimableJob, type ClaimedJob, findClaimableJobs, findClaimableRecordJobs } from '@idsync/database/sync';
import { WakeUp } from '@idsync/messaging';
import { BackgroundService, traced, within, withLogContext } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import { SyncContext } from './sync-context.js';

interface Run {
  job: ClaimedJob;
  control: RunControl;
  ended: Promise<void>;
}

/** Candidates per poll; more than can run, because other processes may claim some of them first. */
const candidates = 50;

/**
 * Claims and runs a limited number of jobs at a time. Messages only wake it up. It also polls sync_jobs, which finds
 * jobs without a message: after a lost message, a worker crash, or the end of another job of the connector.
 */
@Injectable()
export class JobScheduler extends BackgroundService {
  private readonly runs = new Map<string, Run>();
  private readonly wakeUp = new WakeUp();
  private readonly pauses = new ConnectorPauses(() => this.wake());
  private stopped = false;
  private polling: Promise<void> | undefined;

  constructor(private readonly context: SyncContext) {
    super();
  }

  start(): void {
    this.polling ??= this.poll();
  }

  wake(): void {
    this.wakeUp.call();
  }

  /** Wakes the run of a job that may wait for capacity. */
  batchApplied(jobId: string): void {
    this.runs.get(jobId)?.control.wakeUp.call();
  }

  jobEnded(jobId: string): void {
    this.runs.get(jobId)?.control.interrupt('job ended');
    this.wake();
  }

  /** Stops claiming, waits a limited time for current pages, and releases the leases. Throws if a run does not end. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.polling;
    const runs = [...this.runs.values()];
    for (const { control } of runs) control.stop();
    const { stopMs, interruptMs } = this.context.settings;
    const ended = Promise.all(runs.map((run) => run.ended));
    if (await within(stopMs, ended)) return;
    for (const { control } of runs) control.interrupt('worker stops');
    // The lease of a run that does not end now expires.
    if (!(await within(interruptMs, ended)))
      throw new Error(`jobs that did not stop within ${(stopMs + interruptMs) / 1_000} s: ${this.runs.size}`);
  }

  private async poll(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.claimAvailable();
      } catch (err) {
        this.context.log.warn({ err }, 'polling for jobs failed');
      }
      await this.wakeUp.wait(this.context.settings.pollMs);
    }
  }

  /** Single-record jobs have their own limit, and no pauses, because requests wait for them. */
  private async claimAvailable(): Promise<void> {
    const { concurrency, recordConcurrency } = this.context.settings;
    await this.claimUpTo(recordConcurrency, findClaimableRecordJobs, (job) => job.mode === 'record');
    await this.claimUpTo(
      concurrency,
      findClaimableJobs,
      (job) => job.mode !== 'record',
      (candidate) => this.pauses.delays(candidate.connectorId),
    );
  }

  private async claimUpTo(
    limit: number,
    find: (database: Database, limit: number) => Promise<ClaimableJob[]>,
    isIncluded: (job: ClaimedJob) => boolean,
    mustWait: (candidate: ClaimableJob) => boolean = () => false,
  ): Promise<void> {
    const isFull = () => [...this.runs.values()].filter(({ job }) => isIncluded(job)).length >= limit;
    if (isFull()) return;
    const found = await find(this.context.database, candidates);
    for (const candidate of found) {
      if (this.stopped || isFull()) return;
      // The lease of a run of this process has expired; the run must end before another one starts.
      if (this.runs.has(candidate.id) || mustWait(candidate)) continue;
      const job = await this.tryToClaim(candidate);
      if (job) this.startRun(job);
    }
  }

  /** Catches errors, so that one job does not block the next ones. */
  private async tryToClaim(candidate: ClaimableJob): Promise<ClaimedJob | undefined> {
    try {
      return await claimJob(this.context, candidate);
    } catch (err) {
      this.context.log.error({ err, job_id: candidate.id }, 'claiming a job failed');
      return undefined;
    }
  }

  private startRun(job: ClaimedJob): void {
    if (job.mode !== 'record') this.pauses.begin(job.connectorId, this.context.settings.jobIntervalMs);
    const control = new RunControl();
    const logContext = { job_id: job.id, tenant_id: job.tenantId };
    const ended = withLogContext(logContext, () =>
      traced('sync job', { parent: job.traceparent, attributes: { 'idsync.job_id': job.id } }, () =>
        runJob(this.context, job, control),
      ),
    ).finally(() => {
      this.runs.delete(job.id);
      this.wake();
    });
    this.runs.set(job.id, { job, control, ended });
  }
}

/** Delays the next job of a connector that has just started one. */
class ConnectorPauses {
  /** Connectors in a pause, and whether a job waits for its end. */
  private readonly pauses = new Map<string, { isAwaited: boolean }>();

  /** `onEnd` is called when a pause ends that has delayed a job. */
  constructor(private readonly onEnd: () => void) {}

  begin(connectorId: string, milliseconds: number): void {
    const pause = { isAwaited: false };
    this.pauses.set(connectorId, pause);
    setTimeout(() => {
      this.pauses.delete(connectorId);
      if (pause.isAwaited) this.onEnd();
    }, milliseconds).unref();
  }

  /** Returns whether a job of the connector must wait. */
  delays(connectorId: string): boolean {
    const pause = this.pauses.get(connectorId);
    if (pause) pause.isAwaited = true;
    return pause !== undefined;
  }
}
