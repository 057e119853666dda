import { randomUUID } from 'node:crypto';
import type { Database } from '@idsync/database';
import type { Logger } from '@idsync/runtime';
import { pause } from '@idsync/runtime';
import { doublingBackoff } from './backoff.js';
import type { BusDriver } from './driver.js';
import { acquireRelayLease, leaseSeconds, releaseRelayLease } from './relay-lease.js';
import { WakeUp } from './wake-up.js';

/** Milliseconds between polls of the outbox without a notification. */
const pollMs = 1_000;

/**
 * Publishes the outbox of this service in order. One relay per service is active; if it dies, another replica takes
 * over when its lease expires. A fencing token prevents a relay that was suspended past its lease from deleting rows;
 * it may still publish a message twice, which the inbox of every consumer detects.
 */
export class OutboxRelay {
  private readonly owner = randomUUID();
  private readonly wakeUp = new WakeUp();
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private lease: { token: number; renewAt: number } | undefined;
  private unlisten: (() => Promise<void>) | undefined;

  constructor(
    private readonly database: Database,
    private readonly driver: BusDriver,
    private readonly log: Logger,
  ) {}

  start(): void {
    const wake = () => this.wakeUp.call();
    this.unlisten = this.database.listen(
      'idsync_outbox',
      (producer) => producer === this.database.role && wake(),
      wake,
    );
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeUp.call();
    await this.running;
    // If the database is gone, the lease expires.
    await releaseRelayLease(this.database, this.owner).catch(() => undefined);
    await this.unlisten?.();
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted; ) {
      try {
        const token = await this.leaseToken();
        const hasMore = token !== undefined && (await this.driver.forwardOutbox(token));
        failures = 0;
        // A message that was committed meanwhile has called already.
        if (!hasMore) await this.wakeUp.wait(pollMs);
      } catch (err) {
        failures += 1;
        this.lease = undefined;
        this.log.warn({ err }, 'publishing the outbox failed, will retry');
        await pause(doublingBackoff(failures), this.stopping.signal);
      }
    }
  }

  /**
   * Returns the token, renewing the lease at half of its duration to avoid a write per message; undefined while another
   * relay holds it.
   */
  private async leaseToken(): Promise<number | undefined> {
    const now = performance.now();
    if (!this.lease || now >= this.lease.renewAt) {
      const token = await acquireRelayLease(this.database, this.owner);
      this.lease = token === undefined ? undefined : { token, renewAt: now + leaseSeconds * 500 };
    }
    return this.lease?.token;
  }
}
