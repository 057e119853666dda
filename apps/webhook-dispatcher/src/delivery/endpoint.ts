import type { DueEndpoint } from '@idsync/database/delivery';
import { afterFailure, type Breaker, type BreakerSettings, breakerState, closed } from './breaker.js';
import type { Waiting } from './share-slots.js';

/** Concurrent attempts for one endpoint in one process. */
const least = 2;
const most = 64;
export const initialCap = 16;

const quickMs = 1_000;
const slowMs = 5_000;

/** Part of an endpoint's cap that is reserved for first attempts. */
const reservedForFirst = 0.25;
/** Part of an endpoint's cap that long attempts may reach; beyond it, nothing is sent until some of them end. */
const maxLongShare = 0.25;

/** In-memory state of one webhook while it has something to send. */
export class Endpoint {
  hasFirst = false;
  hasRetry = false;
  /** First attempts up to this sequence are claimed already, as far as this process knows. */
  floor = 0;
  /** Counts wake-ups, so that a claim that began before a wake-up does not mark the endpoint as empty. */
  calls = 0;
  inFlight = 0;
  retriesInFlight = 0;
  /** Attempts in flight that have become long. */
  long = 0;
  private cap = initialCap;
  private breaker: Breaker = closed;
  private pausedUntil = 0;
  /** The last time at which a probe was requested. */
  private probedAt = 0;
  /** The state before a probe was requested, until this process knows whether it makes the probe. */
  private beforeProbe?: { breaker: Breaker; pausedUntil: number };

  constructor(
    readonly webhookId: string,
    readonly tenantId: string,
    private readonly settings: BreakerSettings,
  ) {}

  /** Marks the endpoint as having a first attempt at or above this sequence. */
  wake(sequence: number): void {
    this.calls += 1;
    this.hasFirst = true;
    this.floor = Math.min(this.floor, sequence - 1);
  }

  /** Applies the result of a poll. Another process may have opened the breaker. */
  found({ openUntil, probeAskedAt, failures, trips }: DueEndpoint, now: number): void {
    this.calls += 1;
    this.hasFirst = true;
    this.hasRetry = true;
    if (openUntil && openUntil.getTime() > (this.breaker.openUntil ?? 0)) {
      this.breaker = { failures, trips, openUntil: openUntil.getTime() };
    }
    if (!probeAskedAt || probeAskedAt.getTime() <= this.probedAt) return;
    this.probedAt = probeAskedAt.getTime();
    const { breaker, pausedUntil } = this;
    if (breakerState(breaker, now) !== 'open' && pausedUntil <= now) return;
    this.beforeProbe = { breaker, pausedUntil };
    // One attempt, also within a delay that the receiver requested.
    this.breaker = { ...breaker, openUntil: now };
    this.pausedUntil = 0;
  }

  /** True if the next attempt is made because a probe was requested. */
  get isProbed(): boolean {
    return this.beforeProbe !== undefined;
  }

  /** Ends the request for a probe. `isOwn`: this process makes it; otherwise, the endpoint waits as before. */
  probeTaken(isOwn: boolean): void {
    if (this.beforeProbe && !isOwn) Object.assign(this, this.beforeProbe);
    this.beforeProbe = undefined;
  }

  /** Resets what this process has measured, because the webhook was changed. */
  reset(): void {
    this.breaker = closed;
    this.pausedUntil = 0;
    this.beforeProbe = undefined;
    this.cap = initialCap;
  }

  /** Returns undefined if the endpoint has nothing to send or may not send now. */
  waiting(now: number): Waiting | undefined {
    if (!(this.hasFirst || this.hasRetry) || this.pausedUntil > now) return undefined;
    const state = breakerState(this.breaker, now);
    if (state === 'open') return undefined;
    const cap = state === 'half_open' ? 1 : Math.floor(this.cap);
    const room = cap - this.inFlight;
    if (room <= 0 || this.long >= Math.max(cap * maxLongShare, 1)) return undefined;
    const retryLimit = Math.max(Math.ceil(cap * (1 - reservedForFirst)) - this.retriesInFlight, 0);
    const { webhookId, tenantId, floor, inFlight, hasFirst, hasRetry } = this;
    return { webhookId, tenantId, floor, inFlight, room, retryLimit, hasFirst, hasRetry };
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

  /** Pauses sending without counting a failure. */
  pauseFor(now: number, pauseMs: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
  }

  /** `retryAfterMs`: the delay that the receiver requested. */
  failed(durationMs: number, now: number, retryAfterMs = 0): void {
    this.breaker = afterFailure(this.breaker, now, this.settings);
    // A quick rejection says nothing about the capacity of the receiver.
    this.cap = Math.min(this.cap, nextCap(this.cap, durationMs));
    this.pauseFor(now, retryAfterMs);
  }

  /** True if the endpoint holds no state beyond the database's. */
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

/**
 * Returns the cap after a response: a quick one raises it slightly, a slow one halves it, so slow endpoints hold few
 * shared slots.
 */
export function nextCap(cap: number, durationMs: number): number {
  if (durationMs < quickMs) return Math.min(cap + 0.25, most);
  return durationMs < slowMs ? cap : Math.max(cap / 2, least);
}
