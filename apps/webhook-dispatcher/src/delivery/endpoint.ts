import type { DueEndpoint } from '@idsync/database';
import { afterFailure, type Breaker, type BreakerSettings, breakerState, closed } from './breaker.js';
import { initialCap, nextCap } from './concurrency-cap.js';
import type { Waiting } from './share-slots.js';

/** Of what an endpoint may have under way, the part that is kept for first attempts. */
const keptForFirst = 0.25;
/** Of the same, what may take long: with more, it is sent nothing until some of it ends. */
const mostLong = 0.25;

/** What one process knows of one webhook while it has something to send to it. */
export class Endpoint {
  hasFirst = false;
  hasRetry = false;
  /** First attempts up to this sequence are claimed, as far as this process knows. */
  floor = 0;
  /** Counts what woke it, so that a claim that began before does not send it to sleep. */
  calls = 0;
  inFlight = 0;
  retriesInFlight = 0;
  /** Of what is under way, what takes long already. */
  long = 0;
  private cap = initialCap;
  private breaker: Breaker = closed;
  private pausedUntil = 0;

  constructor(
    readonly webhookId: string,
    readonly tenantId: string,
    private readonly settings: BreakerSettings,
  ) {}

  /** There is something above, or again at, this sequence. */
  wake(sequence: number): void {
    this.calls += 1;
    this.hasFirst = true;
    this.floor = Math.min(this.floor, sequence - 1);
  }

  /** A look at everything that is due found it. Others may have learnt of it what this process has not. */
  found({ openUntil, failures, trips }: DueEndpoint): void {
    this.calls += 1;
    this.hasFirst = true;
    this.hasRetry = true;
    if (openUntil && openUntil.getTime() > (this.breaker.openUntil ?? 0)) {
      this.breaker = { failures, trips, openUntil: openUntil.getTime() };
    }
  }

  /** Somebody changed the webhook: what was learnt of it counts no more. */
  forget(): void {
    this.breaker = closed;
    this.pausedUntil = 0;
    this.cap = initialCap;
  }

  /** Undefined if it has nothing to send, or must not. */
  waiting(now: number): Waiting | undefined {
    if (!(this.hasFirst || this.hasRetry) || this.pausedUntil > now) return undefined;
    const state = breakerState(this.breaker, now);
    if (state === 'open') return undefined;
    const cap = state === 'half_open' ? 1 : Math.floor(this.cap);
    const room = cap - this.inFlight;
    if (room <= 0 || this.long >= Math.max(cap * mostLong, 1)) return undefined;
    const retryRoom = Math.max(Math.ceil(cap * (1 - keptForFirst)) - this.retriesInFlight, 0);
    const { webhookId, tenantId, floor, inFlight, hasFirst, hasRetry } = this;
    return { webhookId, tenantId, floor, inFlight, room, retryRoom, hasFirst, hasRetry };
  }

  began(isRetry: boolean): void {
    this.inFlight += 1;
    if (isRetry) this.retriesInFlight += 1;
  }

  tookLong(): void {
    this.long += 1;
  }

  ended(isRetry: boolean, tookLong: boolean): void {
    this.inFlight -= 1;
    if (isRetry) this.retriesInFlight -= 1;
    if (tookLong) this.long -= 1;
  }

  succeeded(durationMs: number): void {
    this.breaker = closed;
    this.cap = nextCap(this.cap, durationMs);
  }

  /** Nothing is sent to it for so long, and nothing is held against it. */
  park(now: number, pauseMs: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
  }

  /** `retryAfterMs`: how long it asked to be left alone. */
  failed(durationMs: number, now: number, retryAfterMs = 0): void {
    this.breaker = afterFailure(this.breaker, now, this.settings);
    // A quick refusal says nothing of how much it could take.
    this.cap = Math.min(this.cap, nextCap(this.cap, durationMs));
    this.park(now, retryAfterMs);
  }

  /** Nothing is known of it but what the database knows too. */
  isIdle(now: number): boolean {
    const works = this.hasFirst || this.hasRetry || this.inFlight > 0;
    return !works && this.pausedUntil <= now && breakerState(this.breaker, now) !== 'open';
  }

  get openUntil(): Date | undefined {
    return this.breaker.openUntil === undefined ? undefined : new Date(this.breaker.openUntil);
  }

  get trips(): number {
    return this.breaker.trips;
  }
}
