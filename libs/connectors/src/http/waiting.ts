import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError, type SourceErrorDetails } from '../connector.js';

/** The remaining waiting time for one page. */
export class WaitBudget {
  private left: number;

  constructor(private readonly totalMs: number) {
    this.left = totalMs;
  }

  /**
   * Waits until the time has passed or the signal is aborted. Throws SourceError if the remaining time is too short.
   */
  async wait(
    ms: number,
    signal: AbortSignal,
    why: string,
    details: SourceErrorDetails = { code: 'rate_limited' },
  ): Promise<void> {
    signal.throwIfAborted();
    if (ms <= 0) return;
    if (ms > this.left) {
      const asked = Math.ceil(ms / 1000);
      throw new SourceError(
        `${why}: waiting ${asked} s more would exceed the limit of ${this.totalMs / 1000} s per page`,
        details,
      );
    }
    this.left -= ms;
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Returns the pause before the next attempt: doubled each time, and randomized to prevent simultaneous retries. */
export function backoffMs(failures: number, firstMs: number, longestMs: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (Math.random() * full) / 2;
}

/**
 * Returns the milliseconds of `Retry-After`, given in seconds or as a date by the clock of the service; undefined if
 * absent.
 */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Requires a leading weekday, because Date.parse accepts many other texts.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - serverNow(headers), 0);
}

/** The headers in which a service reports its remaining calls and the reset time in seconds since 1970. */
export interface RateHeaders {
  remaining: string;
  reset: string;
  /** Calls reserved for other clients; 0 by default. */
  reserve?: number;
}

/** Returns the milliseconds until the next call is allowed; 0 if it is allowed now. */
export function rateWaitMs(rate: RateHeaders, headers: IncomingHttpHeaders): number {
  const remaining = numberIn(headers, rate.remaining);
  const reset = numberIn(headers, rate.reset);
  if (remaining === undefined || reset === undefined || remaining > (rate.reserve ?? 0)) return 0;
  return Math.max(0, reset * 1000 - serverNow(headers));
}

function numberIn(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = headers[name.toLowerCase()];
  return typeof text === 'string' && /^\d{1,12}(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function serverNow({ date }: IncomingHttpHeaders): number {
  const parsed = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(parsed) ? Date.now() : parsed;
}
