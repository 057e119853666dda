import { randomUUID } from 'node:crypto';
import type { Database } from '@idsync/database';
import { doublingBackoff } from './backoff.js';
import type { BusDriver, BusLogger } from './driver.js';
import { pause } from './pause.js';
import { acquireRelayLease, leaseSeconds, releaseRelayLease } from './relay-lease.js';
import { WakeUp } from './wake-up.js';

/** Milliseconds between looks at the outbox when no notification came. */
const pollMs = 1_000;

/**
 * Publishes what this service announced. One relay per service works at a time, in the order of the outbox; when it
 * dies, another replica takes over after its lease. A fencing token keeps one that was stopped and woke up late from
 * deleting anything; what it may still do is publish a message twice, which every consumer's inbox notices.
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
    private readonly log: BusLogger,
  ) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeUp.call();
    await this.running;
    // If the database is gone, the lease runs out by itself.
    await releaseRelayLease(this.database, this.owner).catch(() => undefined);
    await this.unlisten?.();
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted; ) {
      try {
        await this.listen();
        const token = await this.leaseToken();
        const forwarded = token === undefined ? 0 : await this.driver.forwardOutbox(token);
        failures = 0;
        if (forwarded === 0) await this.wakeUp.wait(pollMs);
      } catch (error) {
        failures += 1;
        this.lease = undefined;
        this.log.warn(
          `outbox not forwarded, will try again: ${error instanceof Error ? error.message : String(error)}`,
        );
        await pause(doublingBackoff(failures), this.stopping.signal);
      }
    }
  }

  /** Renewed when half of it is gone: asking each time would cost every message a write. Undefined while another relay has it. */
  private async leaseToken(): Promise<number | undefined> {
    const now = performance.now();
    if (!this.lease || now >= this.lease.renewAt) {
      const token = await acquireRelayLease(this.database, this.owner);
      this.lease = token === undefined ? undefined : { token, renewAt: now + leaseSeconds * 500 };
    }
    return this.lease?.token;
  }

  private async listen(): Promise<void> {
    this.unlisten ??= await this.database.listen(
      'idsync_outbox',
      (producer) => {
        if (producer === this.database.role) this.wakeUp.call();
      },
      () => {
        this.unlisten = undefined;
      },
    );
  }
}
