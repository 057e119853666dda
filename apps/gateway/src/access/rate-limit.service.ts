import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { GatewayConfig } from '../gateway-config.js';
import { ApiError } from '../http/api-error.js';

/** Limits the requests of each key per minute in this process. Memory is bounded, because only existing keys are counted. */
@Injectable()
export class RateLimit {
  /** Absent if no limit is configured. */
  private readonly limiter: RateLimiterMemory | undefined;

  constructor(config: ConfigService<GatewayConfig, true>) {
    const perMinute = config.get('RATE_LIMIT_PER_MINUTE', { infer: true });
    if (perMinute !== undefined) this.limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  }

  /** Throws a 429 with the seconds to wait. */
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
