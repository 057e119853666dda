import type { BlockList } from 'node:net';
import { Database } from '@idsync/database';
import { findLiveApiKeys, touchApiKeys } from '@idsync/database/gateway';
import { Logger, networkList } from '@idsync/runtime';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RefusedAddresses, type RefusedKey } from '../audit/refused-addresses.service.js';
import { ApiError } from '../http/api-error.js';
import { hashSecret, type KeyKind, parseApiKey } from './api-key.js';
import { findHolder, type KeyHolder } from './find-holder.js';
import { isInNetworks } from './networks.js';
import { UnknownKeyLimits } from './unknown-key-limits.js';

/** A valid key, with the networks from which it may be used. */
interface ValidKey {
  caller: KeyHolder;
  expiresAt?: number;
  networks?: BlockList;
}

/** Bounds how long a revoked key still works on other gateways; the promise is one second. */
const ttlMs = 500;
/** Entries of each cache. */
const cacheSize = 20_000;
const touchEveryMs = 60_000;
/** Addresses of a refused key that are recorded at a time. */
const maxAddresses = 20;

/** Identifies callers by their API key, connector token or portal link, with a short cache. */
@Injectable()
export class KeyRing implements OnModuleInit, OnApplicationShutdown {
  private readonly valid = new LRUCache<string, ValidKey>({ max: cacheSize, ttl: ttlMs });
  /** A separate cache, so that invalid keys do not evict valid ones. */
  private readonly invalid = new LRUCache<string, true>({ max: cacheSize, ttl: ttlMs });
  /** Keys that were valid recently. The limits on unknown keys do not apply to them. */
  private readonly recentlyValid = new LRUCache<string, true>({ max: cacheSize });
  private generation = 0;
  /** Changes when links of any tenant are revoked. */
  private linkGeneration = 0;
  private readonly pending = new Map<string, Promise<ValidKey | undefined>>();
  private used = new Map<string, KeyHolder>();
  private refused = new Map<string, RefusedKey>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly unknownKeys?: UnknownKeyLimits,
    private readonly refusedAddresses?: RefusedAddresses,
  ) {
    this.timer = setInterval(() => {
      void this.touch();
      void this.preload();
    }, touchEveryMs);
    this.timer.unref();
  }

  onModuleInit(): Promise<void> {
    return this.preload();
  }

  /** Stores the last use of keys. At this point the last request is answered and the database is still open. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.touch();
  }

  /**
   * Loads the existing keys, last used first. A flood of invented keys then delays none of them after a start, and a new key for at
   * most a minute.
   */
  async preload(): Promise<void> {
    try {
      for (const { id, secretHash } of await findLiveApiKeys(this.database, cacheSize)) {
        this.recentlyValid.set(cacheKey(id, secretHash), true);
      }
    } catch (err) {
      this.logger.warn({ err }, 'loading the known API keys failed');
    }
  }

  /**
   * Returns the caller that a key belongs to, or undefined if the key is malformed, unknown, revoked or expired. Throws a
   * 403 if the key may not be used from `address`, and a 429 or 503 if that sends too many unknown keys.
   */
  async identify(text: string, address?: string): Promise<KeyHolder | undefined> {
    const key = parseApiKey(text);
    if (!key) return undefined;
    // The cache holds hashes, so a memory dump contains no keys.
    const hash = hashSecret(key.secret);
    const name = cacheKey(key.id, hash);
    const hit = this.valid.get(name);
    if (this.invalid.has(name)) return undefined;
    if (hit) return hit.expiresAt !== undefined && hit.expiresAt <= Date.now() ? undefined : this.use(hit, address);
    const lookUp = this.pending.get(name) ?? this.startLookUp(name, key, hash, address);
    return this.use(await lookUp, address);
  }

  /** Empties the cache, so that a revocation takes effect at once on the gateway that makes it. */
  clear(): void {
    this.generation += 1;
    this.valid.clear();
  }

  /** Forgets the portal links of a tenant. Keys stay, because clients may revoke links as often as they like. */
  forgetLinks(tenantId: string): void {
    this.linkGeneration += 1;
    for (const [name, { caller }] of this.valid.entries())
      if (caller.access === 'portal-link' && caller.tenantId === tenantId) this.valid.delete(name);
  }

  private startLookUp(
    name: string,
    { kind, id }: { kind: KeyKind; id: string },
    hash: Buffer,
    address?: string,
  ): Promise<ValidKey | undefined> {
    const lookUp = () => this.lookUp(name, kind, id, hash);
    const isLimited = this.unknownKeys !== undefined && !this.recentlyValid.has(name);
    const started = isLimited ? this.unknownKeys.lookUp(address, lookUp) : lookUp();
    const result = started.finally(() => this.pending.delete(name));
    this.pending.set(name, result);
    return result;
  }

  private async lookUp(name: string, kind: KeyKind, id: string, hash: Buffer): Promise<ValidKey | undefined> {
    const current = () => this.generation + (kind === 'portalLink' ? this.linkGeneration : 0);
    const generation = current();
    const found = await findHolder(this.database, kind, id, hash);
    if (!found) {
      this.invalid.set(name, true);
      this.recentlyValid.delete(name);
      return undefined;
    }
    this.recentlyValid.set(name, true);
    const { caller, expiresAt, allowedNetworks } = found;
    const key = { caller, expiresAt, ...(allowedNetworks && { networks: networkList(allowedNetworks) }) };
    // A look-up that began before a revocation must not enter the cache.
    if (generation === current()) this.valid.set(name, key);
    return key;
  }

  private use(key: ValidKey | undefined, address: string | undefined): KeyHolder | undefined {
    if (!key) return undefined;
    const { caller, networks } = key;
    if (networks && !isInNetworks(networks, address ?? '')) {
      this.noteRefusal(caller, address);
      throw new ApiError(403, `the key may not be used from ${address ?? 'an unknown address'}`);
    }
    if (caller.access !== 'portal-link') this.used.set(caller.keyId, caller);
    return caller;
  }

  /** Portal links are left out: each lives for a day at most, and their holders are in browsers anywhere. */
  private noteRefusal(holder: KeyHolder, address: string | undefined): void {
    if (holder.access === 'portal-link') return;
    const addresses = this.refused.get(holder.keyId)?.addresses ?? new Set();
    if (address !== undefined && addresses.size < maxAddresses) addresses.add(address);
    this.refused.set(holder.keyId, { holder, addresses });
  }

  private async touch(): Promise<void> {
    const [used, refused] = [[...this.used.values()], [...this.refused.values()]];
    this.used = new Map();
    this.refused = new Map();
    await this.refusedAddresses?.record(refused);
    await touchApiKeys(this.database, used).catch((err: unknown) =>
      this.logger.warn({ err }, 'recording the last use of API keys failed'),
    );
  }
}

const cacheKey = (id: string, hash: Buffer): string => `${id} ${hash.toString('base64')}`;
