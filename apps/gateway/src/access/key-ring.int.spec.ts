import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { insertApiKey, revokeApiKey } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { formatApiKey, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.service.js';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenantId: string;
let ring: KeyRing;
const warnings: unknown[][] = [];
const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  ({ database, fixture } = own);
  tenantId = await fixture.tenant();
});

afterAll(async () => {
  await own?.close();
});

beforeEach(() => {
  ring = new KeyRing(database, logger);
});

afterEach(() => ring.onApplicationShutdown());

async function issue(expiresAt?: Date): Promise<{ id: string; key: string }> {
  const { secret, hash } = newSecret();
  const { id } = await database.transaction(tenantId, (tx) =>
    insertApiKey(tx, tenantId, { name: 'test', scopes: ['users:read'], secretHash: hash, expiresAt }),
  );
  return { id, key: formatApiKey(id, secret) };
}

const revoke = (id: string) => database.transaction(tenantId, (tx) => revokeApiKey(tx, tenantId, id));

/** Passes time for the caches. */
class CacheClock {
  private now = performance.now();
  private readonly clock = jest.spyOn(performance, 'now').mockImplementation(() => this.now);

  async pass(ms: number): Promise<void> {
    this.now += ms;
    // The caches read the clock at most once per millisecond of real time.
    await sleep(5);
  }

  restore(): void {
    this.clock.mockRestore();
  }
}

describe('the API key cache', () => {
  it('returns the tenant and the scopes of a key', async () => {
    const { id, key } = await issue();
    const caller = await ring.identify(key);
    expect(caller).toEqual({ access: 'key', keyId: id, tenantId, scopes: new Set(['users:read']) });
  });

  it('rejects a known id with a wrong secret, before and after the correct secret was used', async () => {
    const { id, key } = await issue();
    const wrong = formatApiKey(id, newSecret().secret);
    expect(await ring.identify(wrong)).toBeUndefined();
    expect(await ring.identify(key)).toBeDefined();
    expect(await ring.identify(wrong)).toBeUndefined();
    expect(await ring.identify(key)).toBeDefined();
  });

  it('applies a revocation by another gateway within a second, even while the key is in constant use', async () => {
    const { id, key } = await issue();
    const clock = new CacheClock();
    try {
      expect(await ring.identify(key)).toBeDefined();
      await revoke(id);
      for (let ms = 0; ms < 900; ms += 100) {
        await clock.pass(100);
        await ring.identify(key);
      }
      expect(await ring.identify(key)).toBeUndefined();
    } finally {
      clock.restore();
    }
  });

  it('applies a revocation at once when it is cleared', async () => {
    const { id, key } = await issue();
    expect(await ring.identify(key)).toBeDefined();
    await revoke(id);
    ring.clear();
    expect(await ring.identify(key)).toBeUndefined();
  });

  it('does not cache a look-up that began before a revocation', async () => {
    const { id, key } = await issue();
    const underWay = ring.identify(key);
    await revoke(id);
    ring.clear();
    await underWay;
    expect(await ring.identify(key)).toBeUndefined();
  });

  it('rejects an expired key, even if it expires while cached', async () => {
    expect(await ring.identify((await issue(new Date(Date.now() - 1))).key)).toBeUndefined();
    const { key } = await issue(new Date(Date.now() + 60_000));
    expect(await ring.identify(key)).toBeDefined();
    jest.useFakeTimers({
      now: Date.now() + 61_000,
      doNotFake: ['performance', 'nextTick', 'setImmediate', 'setTimeout'],
    });
    try {
      expect(await ring.identify(key)).toBeUndefined();
    } finally {
      jest.useRealTimers();
    }
  });

  it('queries the database once for a key in many concurrent requests', async () => {
    const { key } = await issue();
    const queries = jest.spyOn(database, 'acrossTenants');
    try {
      const callers = await Promise.all(Array.from({ length: 200 }, () => ring.identify(key)));
      expect(callers.every((caller) => caller?.tenantId === tenantId)).toBe(true);
      expect(queries).toHaveBeenCalledTimes(1);
    } finally {
      queries.mockRestore();
    }
  });

  it('has bounded memory under a flood of invented keys', async () => {
    const id = newUuid();
    let queries = 0;
    const acrossTenants = () => {
      queries += 1;
      return Promise.resolve([]);
    };
    const flooded = new KeyRing({ acrossTenants } as unknown as Database, silentLogger);
    const flood = async () => {
      for (let round = 0; round < 25; round += 1) {
        const keys = Array.from({ length: 1_000 }, () => formatApiKey(id, newSecret().secret));
        expect((await Promise.all(keys.map((key) => flooded.identify(key)))).some(Boolean)).toBe(false);
      }
      return settledHeap();
    };
    const full = await flood();
    const fuller = await flood();
    await flooded.onApplicationShutdown();
    expect(queries).toBe(50_000);
    expect(fuller - full).toBeLessThan(2_000_000);
  });

  it('stores the last use of keys when it closes', async () => {
    const used = await issue();
    const unused = await issue();
    expect(await ring.identify(used.key)).toBeDefined();
    await ring.onApplicationShutdown();
    const rows = await fixture.rows<{ id: string; noted: boolean }>(
      'select id, last_used_at is not null as noted from api_keys where id = any($1)',
      [[used.id, unused.id]],
    );
    expect(Object.fromEntries(rows.map(({ id, noted }) => [id, noted]))).toEqual({
      [used.id]: true,
      [unused.id]: false,
    });
    expect(warnings).toEqual([]);
  });
});

function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
