import { timingSafeEqual } from 'node:crypto';
import { decodeId, encodeId, idPrefixes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findServiceTokenSecret, type ServiceTokenRow, touchServiceTokens } from '@idsync/database/gateway';
import { Logger } from '@idsync/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hashSecret } from './api-key.js';
import type { OperatorCaller } from './caller.js';
import { UnknownKeyLimits } from './unknown-key-limits.js';

interface ValidToken {
  caller: OperatorCaller;
  expiresAt?: number;
}

/** Bounds how long a revoked token still works on other gateways; the promise is one second. */
const ttlMs = 500;
const cacheSize = 1_000;
const touchEveryMs = 60_000;
const form = /^ist_([0-9a-z]{26})_([A-Za-z0-9_-]{43})$/;

/** Formats `ist_<id>_<secret>`. */
export function formatServiceToken(id: string, secret: string): string {
  return `ist_${encodeId('serviceToken', id).slice(idPrefixes.serviceToken.length + 1)}_${secret}`;
}

/** Returns whether a bearer token has the form of a service token. */
export function isServiceToken(text: string): boolean {
  return form.test(text);
}

/** Returns whether the token is neither revoked nor expired. */
export function isLive({ revokedAt, expiresAt }: Pick<ServiceTokenRow, 'revokedAt' | 'expiresAt'>): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now());
}

export function callerOfServiceToken({
  id,
  name,
  role,
  tenantIds,
}: Pick<ServiceTokenRow, 'id' | 'name' | 'role' | 'tenantIds'>): OperatorCaller {
  return {
    access: 'operator',
    actor: { kind: 'service_token', id: encodeId('serviceToken', id), name, role },
    role,
    ...(tenantIds && { tenantIds: new Set(tenantIds) }),
  };
}

/** Identifies operators by their service tokens, with a short cache. */
@Injectable()
export class ServiceTokens implements OnApplicationShutdown {
  private readonly cached = new LRUCache<string, ValidToken | { caller?: undefined }>({ max: cacheSize, ttl: ttlMs });
  /** Tokens that were valid recently. The limits on unknown tokens do not apply to them. */
  private readonly recentlyValid = new LRUCache<string, true>({ max: cacheSize });
  private readonly used = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private generation = 0;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly unknownTokens: UnknownKeyLimits,
  ) {
    this.timer = setInterval(() => void this.touch(), touchEveryMs);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.touch();
  }

  /** Returns undefined for a token that is malformed, unknown, revoked or expired. Throws a 429 or 503 for too many. */
  async identify(text: string, address: string): Promise<OperatorCaller | undefined> {
    const [, body = '', secret = ''] = form.exec(text) ?? [];
    const id = decodeId('serviceToken', `${idPrefixes.serviceToken}_${body}`);
    if (id === undefined) return undefined;
    // The cache holds hashes, so a memory dump contains no tokens.
    const hash = hashSecret(secret);
    const name = `${id} ${hash.toString('base64')}`;
    let token = this.cached.get(name);
    if (!token) {
      const lookUp = () => this.lookUp(name, id, hash);
      const found = this.recentlyValid.has(name) ? await lookUp() : await this.unknownTokens.lookUp(address, lookUp);
      token = found ?? {};
    }
    if (!token.caller || (token.expiresAt !== undefined && token.expiresAt <= Date.now())) return undefined;
    this.used.add(id);
    return token.caller;
  }

  /** Empties the cache, so that a revocation takes effect at once on the gateway that makes it. */
  clear(): void {
    this.generation += 1;
    this.cached.clear();
  }

  private async lookUp(name: string, id: string, hash: Buffer): Promise<ValidToken | undefined> {
    const generation = this.generation;
    const row = await findServiceTokenSecret(this.database, id);
    const isValid = row !== undefined && timingSafeEqual(row.secretHash, hash) && isLive(row);
    if (!isValid) {
      this.recentlyValid.delete(name);
      this.cached.set(name, {});
      return undefined;
    }
    const token: ValidToken = {
      caller: callerOfServiceToken(row),
      expiresAt: row.expiresAt?.getTime(),
    };
    this.recentlyValid.set(name, true);
    // A look-up that began before a revocation must not enter the cache.
    if (generation === this.generation) this.cached.set(name, token);
    return token;
  }

  private async touch(): Promise<void> {
    const used = [...this.used];
    this.used.clear();
    await touchServiceTokens(this.database, used).catch((err: unknown) =>
      this.logger.warn({ err }, 'recording the last use of service tokens failed'),
    );
  }
}
