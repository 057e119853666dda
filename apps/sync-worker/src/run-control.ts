import type { Transaction } from '@idsync/database';
import { type Lease, lockLeasedJob, type SyncJob } from '@idsync/database/sync';
import { WakeUp } from '@idsync/messaging';
import type { SyncContext } from './sync-context.js';

/** Reason why a run ended before its job. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly reason: 'lease lost' | 'job ended' | 'worker stops') {
    super(reason);
  }
}

/** Controls for stopping or interrupting a running job. */
export class RunControl {
  readonly wakeUp = new WakeUp();
  private readonly controller = new AbortController();
  private readonly stopper = new AbortController();

  /** Fires when the current page is no longer needed. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Fires when the run must end after the current page. */
  get stopSignal(): AbortSignal {
    return this.stopper.signal;
  }

  get stopping(): boolean {
    return this.stopper.signal.aborted;
  }

  /** Ends the run after the current page. */
  stop(): void {
    this.stopper.abort(new Interrupted('worker stops'));
    this.wakeUp.call();
  }

  /** Ends the run now; the current page is not written. */
  interrupt(reason: Interrupted['reason']): void {
    this.controller.abort(new Interrupted(reason));
    this.wakeUp.call();
  }
}

/** Runs `work` in a transaction with the leased job. Throws Interrupted if another process has claimed it. */
export function withLeasedJob<Result>(
  { database }: SyncContext,
  lease: Lease,
  work: (tx: Transaction, job: SyncJob) => Promise<Result>,
): Promise<Result> {
  return database.transaction(lease.tenantId, async (tx) => {
    const job = await lockLeasedJob(tx, lease);
    if (!job) throw new Interrupted('lease lost');
    return work(tx, job);
  });
}
