import { randomUUID } from 'node:crypto';
import type { QueueDefinition, QueueName } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { Logger } from '@idsync/runtime';
import { type Backoff, type Deliver, doublingBackoff, drainMs, notDrained, postponedAttempt } from '../driver.js';
import { InFlight } from '../in-flight.js';
import { WakeUp } from '../wake-up.js';
import {
  acknowledge,
  type Claim,
  type ClaimedMessage,
  claimMessages,
  extendLease,
  giveUp,
  leaseSeconds,
  retryLater,
} from './messages.js';

/** Milliseconds between polls without a notification, which find messages of processes that have ended. */
const pollMs = 2_000;

/** Consumes one PostgreSQL queue, at most `prefetch` messages at a time. */
export class PostgresConsumer {
  private readonly wakeUp = new WakeUp();
  private readonly inFlight = new InFlight();
  private readonly claims = new Map<number, Claim>();
  private stopped = false;
  /** False if the last claim emptied the queue. The next message comes with a notification. */
  private mayHaveMore = true;
  private running: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    readonly queue: QueueName,
    private readonly definition: QueueDefinition,
    private readonly deliver: Deliver,
    private readonly backoff: Backoff,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.running = this.run();
    this.heartbeat = setInterval(() => void this.extend(), (leaseSeconds * 1_000) / 3);
  }

  wake(): void {
    this.wakeUp.call();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.running;
    const drained = await this.inFlight.drained(drainMs);
    clearInterval(this.heartbeat);
    if (!drained) throw notDrained(this.queue);
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.stopped; ) {
      try {
        const free = this.definition.prefetch - this.inFlight.size;
        const claimed = free > 0 ? await this.claim(free) : [];
        this.mayHaveMore = claimed.length === free;
        failures = 0;
        for (const message of claimed) this.inFlight.add(this.handle(message));
        if (claimed.length === 0 || !this.mayHaveMore) await this.wakeUp.wait(pollMs);
      } catch (err) {
        failures += 1;
        this.log.warn({ err, queue: this.queue }, 'claiming messages failed, will retry');
        await this.wakeUp.wait(doublingBackoff(failures));
      }
    }
  }

  private async claim(limit: number): Promise<(ClaimedMessage & Claim)[]> {
    const token = randomUUID();
    const { queue, database } = this;
    const messages = await claimMessages(database, { queue, limit, token });
    return messages.map((message) => ({ ...message, token }));
  }

  private async handle(message: ClaimedMessage & Claim): Promise<void> {
    this.claims.set(message.id, message);
    try {
      const outcome = await this.deliver({
        system: 'postgresql',
        queue: this.queue,
        type: message.type,
        body: message.message,
        attempt: message.attempts,
      });
      if (outcome.kind === 'done') await acknowledge(this.database, message);
      else if (outcome.kind === 'dead') await giveUp(this.database, message, outcome.reason);
      else {
        const isPostponed = outcome.kind === 'postponed';
        const pauseMs = this.backoff(isPostponed ? postponedAttempt : message.attempts);
        await retryLater(this.database, message, { pauseMs, attempts: message.attempts - Number(isPostponed) });
        setTimeout(() => this.wake(), pauseMs).unref();
      }
    } catch (err) {
      // The lease expires and the message is redelivered.
      this.log.warn({ err, queue: this.queue }, 'settling a message failed');
    } finally {
      this.claims.delete(message.id);
      if (this.mayHaveMore) this.wakeUp.call();
    }
  }

  private async extend(): Promise<void> {
    if (this.claims.size === 0) return;
    await extendLease(this.database, [...this.claims.values()]).catch(() => undefined);
  }
}
