import {
  type ClaimableJob,
  type ClaimedJob,
  findClaimableJobs,
  findClaimableRecordJobs,
  type Transaction,
} from '@idsync/database';
import { WakeUp } from '@idsync/messaging';
import { traced, within, withLogContext } from '@idsync/runtime';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import type { SyncContext } from './sync-context.js';

interface Run {
  job: ClaimedJob;
  control: RunControl;
  ended: Promise<void>;
}

/** More than one process can run: others may take some of the candidates first. */
const candidates = 50;

/**
 * Claims what can be claimed and runs it, a few jobs at a time. Messages only wake it: what there is to do stands in
 * sync_jobs, and a poll finds what no message brought (lost ones, dead workers, connectors that became free).
 */
export class JobScheduler {
  private readonly runs = new Map<string, Run>();
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private polling: Promise<void> | undefined;

  constructor(private readonly context: SyncContext) {}

  start(): void {
    this.polling ??= this.poll();
  }

  /** There may be something to claim. */
  wake(): void {
    this.wakeUp.call();
  }

  /** A batch of the job was applied: there may be room for the next page. */
  batchApplied(jobId: string): void {
    this.runs.get(jobId)?.control.wakeUp.call();
  }

  /** The job has ended; if it is read here, the reading stops at once. */
  jobEnded(jobId: string): void {
    this.runs.get(jobId)?.control.interrupt('job ended');
    this.wake();
  }

  /** Claims nothing more, lets every run finish its page, bounded, and gives the leases back. Throws if a run does not let go. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.polling;
    const runs = [...this.runs.values()];
    for (const { control } of runs) control.stop();
    const { stopMs, letGoMs } = this.context.settings;
    const ended = Promise.all(runs.map((run) => run.ended));
    if (await within(stopMs, ended)) return;
    for (const { control } of runs) control.interrupt('worker stops');
    // What does not even end now leaves its lease to run out.
    if (!(await within(letGoMs, ended)))
      throw new Error(`jobs that did not let go within ${(stopMs + letGoMs) / 1_000} s: ${this.runs.size}`);
  }

  private async poll(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.claimWhatFits();
      } catch (error) {
        this.context.log.warn(`no look for jobs: ${String(error)}`);
      }
      await this.wakeUp.wait(this.context.settings.pollMs);
    }
  }

  /** A record that somebody waits for does not queue up behind sources that are read for minutes. */
  private async claimWhatFits(): Promise<void> {
    const { concurrency, recordConcurrency } = this.context.settings;
    await this.claimSome(findClaimableRecordJobs, (job) => job.mode === 'record', recordConcurrency);
    await this.claimSome(findClaimableJobs, (job) => job.mode !== 'record', concurrency);
  }

  private async claimSome(
    find: (tx: Transaction, limit: number) => Promise<ClaimableJob[]>,
    isOfThese: (job: ClaimedJob) => boolean,
    most: number,
  ): Promise<void> {
    const isFull = () => [...this.runs.values()].filter(({ job }) => isOfThese(job)).length >= most;
    if (isFull()) return;
    const found = await this.context.database.transaction(undefined, (tx) => find(tx, candidates));
    for (const candidate of found) {
      if (this.stopped || isFull()) return;
      // A lease that ran out under a run of our own: the run has not noticed yet, and ends before another begins.
      if (this.runs.has(candidate.id)) continue;
      const job = await this.tryToClaim(candidate);
      if (job) this.begin(job);
    }
  }

  /** A job that cannot be claimed must not keep those behind it waiting. */
  private async tryToClaim(candidate: ClaimableJob): Promise<ClaimedJob | undefined> {
    try {
      return await claimJob(this.context, candidate);
    } catch (error) {
      this.context.log.error(`job ${candidate.id} not claimed: ${String(error)}`);
      return undefined;
    }
  }

  private begin(job: ClaimedJob): void {
    const control = new RunControl();
    const told = { job_id: job.id, tenant_id: job.tenantId };
    const ended = withLogContext(told, () =>
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
