import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from './api-error.js';

/** Counts the requests of each key in this process, a minute at a time. Only keys that exist are counted, so it is bounded by them. */
export class RateLimit {
  private readonly limiter: RateLimiterMemory | undefined;

  /** Without a number nothing is counted. */
  constructor(perMinute?: number) {
    if (perMinute !== undefined) this.limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  }

  /** Throws a 429 that says when to come again. */
  async take(keyId: string): Promise<void> {
    if (!this.limiter) return;
    try {
      await this.limiter.consume(keyId);
    } catch (refused) {
      const seconds = Math.ceil((refused as RateLimiterRes).msBeforeNext / 1_000);
      throw new ApiError(429, 'too many requests with this key', Math.max(seconds, 1));
    }
  }
}
