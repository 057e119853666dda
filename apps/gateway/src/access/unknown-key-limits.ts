import { errorTexts } from '@idsync/contracts';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../http/api-error.js';
import { ConcurrencyLimiter, type ConcurrencyLimits } from '../http/concurrency-limiter.js';
import { networkOf } from './networks.js';

const windowMs = 60_000;
/** Failed look-ups of unknown keys per network and minute. */
export const maxFailures = 300;
/** Networks whose failures are counted; the least recently seen one is dropped first. */
const maxNetworks = 10_000;
/** Few enough look-ups of unknown keys at a time to leave database connections for known keys. */
const lookUps = { each: 1, all: 2, queued: 50, waitMs: 5_000, bytes: { each: 0, all: 0 } };
const retryAfterSeconds = 5;

/** Limits look-ups of keys that are not in the cache: failures per network, and concurrent look-ups in total. */
export class UnknownKeyLimits {
  private readonly failures = new LRUCache<string, { count: number; until: number }>({ max: maxNetworks });
  private readonly limiter: ConcurrencyLimiter;

  constructor(limits: ConcurrencyLimits = lookUps) {
    this.limiter = new ConcurrencyLimiter(limits, () => new ApiError(503, errorTexts.busy, retryAfterSeconds));
  }

  /** Runs a look-up within the limits. Throws a 429 after too many failures of the network, and a 503 if too many wait. */
  async lookUp<T>(address: string | undefined, find: () => Promise<T | undefined>): Promise<T | undefined> {
    const network = networkOf(address);
    this.check(network);
    const slot = await this.limiter.acquire(network, 0);
    try {
      // Earlier look-ups in the queue may have failed in the meantime.
      this.check(network);
      const found = await find();
      if (found === undefined) this.count(network);
      return found;
    } finally {
      slot.release();
    }
  }

  /** Throws a 429 after too many failures of the network. */
  check(network: string): void {
    const failed = this.failures.get(network);
    if (!failed || failed.count < maxFailures) return;
    const leftMs = failed.until - performance.now();
    if (leftMs > 0) throw new ApiError(429, errorTexts.tooManyUnknownKeys, Math.ceil(leftMs / 1_000));
  }

  /** Counts a failure of the network. */
  count(network: string): void {
    const now = performance.now();
    const failed = this.failures.get(network);
    if (failed && failed.until > now) failed.count += 1;
    else this.failures.set(network, { count: 1, until: now + windowMs });
  }
}
