import type { GatewayConfig } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { LRUCache } from 'lru-cache';
import { constantTimeEqual } from './api-key.js';
import type { OperatorCaller } from './caller.js';
import { networkOf } from './networks.js';
import { isServiceToken, ServiceTokens } from './service-tokens.service.js';
import { UnknownKeyLimits } from './unknown-key-limits.js';

export const adminTokenCaller: OperatorCaller = {
  access: 'operator',
  actor: { kind: 'admin_token', name: 'operator', role: 'admin' },
  role: 'admin',
};

/** Networks that are remembered as those of the holder of ADMIN_TOKEN, and how long. */
const holders = { max: 1_000, ttl: 24 * 60 * 60_000 };

/** Identifies operators by ADMIN_TOKEN or a service token. */
@Injectable()
export class OperatorTokens {
  /** Absent if it is disabled. */
  readonly adminToken: string | undefined;
  /** An operator has chosen ADMIN_TOKEN, so unlike other tokens it may be possible to guess it. */
  private readonly guesses = new UnknownKeyLimits();
  private readonly holders = new LRUCache<string, true>(holders);

  constructor(
    config: ConfigService<GatewayConfig, true>,
    private readonly serviceTokens: ServiceTokens,
  ) {
    if (!config.get('ADMIN_TOKEN_DISABLED', { infer: true }))
      this.adminToken = config.get('ADMIN_TOKEN', { infer: true });
  }

  /** Returns undefined for a wrong token. Throws a 429 for too many guesses, and the 429 or 503 of `ServiceTokens`. */
  identify(token: string, address: string): OperatorCaller | undefined | Promise<OperatorCaller | undefined> {
    if (isServiceToken(token)) return this.serviceTokens.identify(token, address);
    if (this.adminToken === undefined) return undefined;
    const network = networkOf(address);
    const isHolder = this.holders.has(network);
    // Before the comparison: a guess beyond the limit must not find the token.
    if (!isHolder) this.guesses.check(network);
    if (constantTimeEqual(token, this.adminToken)) {
      this.holders.set(network, true);
      return adminTokenCaller;
    }
    // Mistakes of others behind one proxy must not lock out the holder of the token.
    if (!isHolder) this.guesses.count(network);
    return undefined;
  }
}
