import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError } from '../connector.js';

/** How long may still be waited for one page. */
export class WaitBudget {
  private left: number;

  constructor(private readonly wholeMs: number) {
    this.left = wholeMs;
  }

  /** Waits, at once ended by the signal. Throws SourceError instead if it would be longer than is left. */
  async wait(ms: number, signal: AbortSignal, why: string): Promise<void> {
    signal.throwIfAborted();
    if (ms <= 0) return;
    if (ms > this.left) {
      const asked = Math.ceil(ms / 1000);
      throw new SourceError(
        `${why}: to wait ${asked} s more would be longer than the ${this.wholeMs / 1000} s that a page is waited for`,
      );
    }
    this.left -= ms;
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** A pause before the next try: doubled each time, and spread, so that not all come back at once. */
export function backoffMs(failures: number, firstMs: number, longestMs: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (Math.random() * full) / 2;
}

/** Milliseconds that `Retry-After` asks for, in seconds or as a date by the service's own clock; undefined if it says nothing. */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // A date begins with a day of the week; Date.parse takes much else for one.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - serverNow(headers), 0);
}

/** How a service tells how many calls are left, and when there will be more. */
export interface RateHeaders {
  remaining: string;
  reset: string;
  /** What `reset` counts: seconds from now, or since 1970. */
  resetIn: 'seconds' | 'epoch_seconds';
  /** Calls that are left to others; 0 if not given. */
  reserve?: number;
}

/** Milliseconds until the next call is welcome; 0 if it is now. */
export function rateWaitMs(rate: RateHeaders, headers: IncomingHttpHeaders): number {
  const remaining = numberIn(headers, rate.remaining);
  const reset = numberIn(headers, rate.reset);
  if (remaining === undefined || reset === undefined || remaining > (rate.reserve ?? 0)) return 0;
  return Math.max(0, rate.resetIn === 'seconds' ? reset * 1000 : reset * 1000 - serverNow(headers));
}

function numberIn(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = headers[name.toLowerCase()];
  return typeof text === 'string' && /^\d{1,12}(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function serverNow({ date }: IncomingHttpHeaders): number {
  const told = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(told) ? Date.now() : told;
}
