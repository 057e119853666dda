import { timingSafeEqual } from 'node:crypto';
import { type Database, findApiKeySecret, touchApiKeys } from '@idsync/database';
import { LRUCache } from 'lru-cache';
import { hashSecret, parseApiKey } from './api-key.js';

export interface Caller {
  keyId: string;
  tenantId: string;
  scopes: ReadonlySet<string>;
  /** Of a key that pushes to one connector, and does nothing else. */
  connectorId?: string;
}

/** A revoked key works no longer than this, on every gateway, and within the one second that is promised. */
const ttlMs = 500;
/** Keys remembered, of each kind. */
const remembered = 20_000;
const touchEveryMs = 60_000;

/** Knows whose key it is. */
export class KeyRing {
  private readonly known = new LRUCache<string, { caller: Caller; expiresAt?: number }>({
    max: remembered,
    ttl: ttlMs,
  });
  /** Strangers' keys: what they push out is each other. */
  private readonly refused = new LRUCache<string, true>({ max: remembered, ttl: ttlMs });
  private generation = 0;
  private readonly asking = new Map<string, Promise<Caller | undefined>>();
  private readonly used = new Set<string>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly warn: (message: string) => void,
  ) {
    this.timer = setInterval(() => void this.touch(), touchEveryMs);
    this.timer.unref();
  }

  /** The caller a key belongs to, or undefined if it is malformed, unknown, revoked or expired. */
  async identify(text: string): Promise<Caller | undefined> {
    const key = parseApiKey(text);
    if (!key) return undefined;
    // Remembered by hash: a dump of this process does not hold keys.
    const hash = hashSecret(key.secret);
    const name = `${key.id} ${hash.toString('base64')}`;
    const hit = this.known.get(name);
    if (this.refused.has(name)) return undefined;
    if (hit) return hit.expiresAt !== undefined && hit.expiresAt <= Date.now() ? undefined : this.use(hit.caller);
    const asked = this.asking.get(name) ?? this.ask(name, key.id, hash);
    return this.use(await asked);
  }

  /** Forgets all keys at once: the gateway that revokes one feels it at once. */
  forget(): void {
    this.generation += 1;
    this.known.clear();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.touch();
  }

  private ask(name: string, id: string, hash: Buffer): Promise<Caller | undefined> {
    const answer = this.lookUp(name, id, hash).finally(() => this.asking.delete(name));
    this.asking.set(name, answer);
    return answer;
  }

  private async lookUp(name: string, id: string, hash: Buffer): Promise<Caller | undefined> {
    const generation = this.generation;
    const row = await findApiKeySecret(this.database, id);
    const expiresAt = row?.expiresAt?.getTime();
    const good =
      row !== undefined &&
      timingSafeEqual(row.secretHash, hash) &&
      row.revokedAt === null &&
      (expiresAt === undefined || expiresAt > Date.now());
    if (!good) {
      this.refused.set(name, true);
      return undefined;
    }
    const caller: Caller = {
      keyId: id,
      tenantId: row.tenantId,
      scopes: new Set(row.scopes),
      ...(row.connectorId && { connectorId: row.connectorId }),
    };
    // An answer that was under way when a key was revoked here is not kept.
    if (generation === this.generation) this.known.set(name, { caller, expiresAt });
    return caller;
  }

  private use(caller: Caller | undefined): Caller | undefined {
    if (caller) this.used.add(caller.keyId);
    return caller;
  }

  private async touch(): Promise<void> {
    const ids = [...this.used];
    this.used.clear();
    if (ids.length === 0) return;
    await touchApiKeys(this.database, ids).catch((error: unknown) => this.warn(`last use not noted: ${String(error)}`));
  }
}
