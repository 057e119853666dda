import type { GatewayConfig } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../http/api-error.js';
import { quotaRefusals } from '../quotas/metrics.js';
import { accountOf } from './caller.js';
import type { KeyHolder } from './find-holder.js';

/**
 * Limits the requests of each key, and of all keys of a tenant, per minute in this process. Memory is bounded, because only
 * existing keys are counted.
 */
@Injectable()
export class RateLimit {
  /** Absent if no limit is configured. */
  private readonly ofKeys: RateLimiterMemory | undefined;
  /** Counts only: each tenant has its own limit. */
  private readonly ofTenants = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 60 });

  constructor(config: ConfigService<GatewayConfig, true>) {
    const perMinute = config.get('RATE_LIMIT_PER_MINUTE', { infer: true });
    if (perMinute !== undefined) this.ofKeys = new RateLimiterMemory({ points: perMinute, duration: 60 });
  }

  /** Throws a 429 with the seconds to wait. */
  async take(caller: KeyHolder): Promise<void> {
    const { tenantId, requestsPerMinute } = caller;
    if (this.ofKeys) {
      try {
        await this.ofKeys.consume(accountOf(caller));
      } catch (refused) {
        throw tooMany('too many requests with this key', refused as RateLimiterRes);
      }
    }
    if (requestsPerMinute === undefined) return;
    const counted = await this.ofTenants.consume(tenantId);
    if (counted.consumedPoints <= requestsPerMinute) return;
    quotaRefusals.add({ quota: 'requests_per_minute' });
    throw tooMany(`the tenant may send ${requestsPerMinute} requests a minute`, counted);
  }

  /** Requests of a tenant with a limit in the present minute. */
  async usedBy(tenantId: string): Promise<number> {
    return (await this.ofTenants.get(tenantId))?.consumedPoints ?? 0;
  }
}

function tooMany(text: string, { msBeforeNext }: RateLimiterRes): ApiError {
  return new ApiError(429, text, Math.max(Math.ceil(msBeforeNext / 1_000), 1));
}
