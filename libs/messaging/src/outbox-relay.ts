// SQL by hand: an upsert that depends on the stored row.
import { randomUUID } from 'node:crypto';
import type { Database } from '@idsync/database';
import { type Logger, pause } from '@idsync/runtime';
import { type BusDriver, doublingBackoff } from './driver.js';
import { WakeUp } from './wake-up.js';

/** Milliseconds between polls of the outbox without a notification. */
const pollMs = 1_000;
/** Seconds without a renewal after which another relay takes over. */
const leaseSeconds = 8;

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

/**
 * Takes or renews this service's relay lease. The token grows with each change of owner, and a relay must still hold it
 * when it deletes published rows. Returns undefined while another relay holds the lease.
 */
export async function acquireRelayLease(database: Database, owner: string): Promise<number | undefined> {
  const rows = await database.withoutTenant((tx) =>
    tx.query<{ token: number }>(
      `insert into relay_leases as lease (producer, token, owner, until)
       values (current_user, 1, $1, now() + make_interval(secs => $2))
       on conflict (producer) do update
          set token = lease.token + case when lease.owner = $1 then 0 else 1 end, owner = $1, until = excluded.until
        where lease.owner = $1 or lease.until <= now()
       returning token`,
      [owner, leaseSeconds],
    ),
  );
  return rows[0]?.token;
}

/** Releases the lease, so that the next relay does not have to wait for its expiry. */
export async function releaseRelayLease(database: Database, owner: string): Promise<void> {
  await database.withoutTenant((tx) =>
    tx.query('update relay_leases set until = now() where producer = current_user and owner = $1', [owner]),
  );
}
