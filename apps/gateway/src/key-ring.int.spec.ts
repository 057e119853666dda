import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newUuid } from '@idsync/contracts';
import { type Database, insertApiKey, revokeApiKey } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { formatApiKey, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.js';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenantId: string;
let ring: KeyRing;
const warnings: string[] = [];

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  ({ database, fixture } = own);
  tenantId = await fixture.tenant();
});

afterAll(async () => {
  await own?.close();
});

beforeEach(() => {
  ring = new KeyRing(database, (message) => warnings.push(message));
});

afterEach(() => ring.close());

async function issue(expiresAt?: Date): Promise<{ id: string; key: string }> {
  const { secret, hash } = newSecret();
  const { id } = await database.transaction(tenantId, (tx) =>
    insertApiKey(tx, tenantId, { name: 'test', scopes: ['users:read'], secretHash: hash, expiresAt }),
  );
  return { id, key: formatApiKey(id, secret) };
}

const revoke = (id: string) => database.transaction(tenantId, (tx) => revokeApiKey(tx, tenantId, id));

/** When it was last asked for and still good, in milliseconds from now; asked once in every turn of the event loop. */
async function goodFor(key: string): Promise<number> {
  const begun = performance.now();
  for (let last = 0; ; await setImmediate()) {
    const asked = performance.now() - begun;
    if (asked > 10_000 || !(await ring.identify(key))) return last;
    last = asked;
  }
}

describe('a key ring', () => {
  it('knows whose key it is and what it may do', async () => {
    const { id, key } = await issue();
    const caller = await ring.identify(key);
    expect(caller).toEqual({ keyId: id, tenantId, scopes: new Set(['users:read']) });
  });

  it('does not know the right id with another secret, before and after the right one', async () => {
    const { id, key } = await issue();
    const wrong = formatApiKey(id, newSecret().secret);
    expect(await ring.identify(wrong)).toBeUndefined();
    expect(await ring.identify(key)).toBeDefined();
    expect(await ring.identify(wrong)).toBeUndefined();
    expect(await ring.identify(key)).toBeDefined();
  });

  it('feels a revocation within a second where it was revoked by another gateway, though it is asked all the time', async () => {
    const { id, key } = await issue();
    expect(await ring.identify(key)).toBeDefined();
    await revoke(id);
    expect(await goodFor(key)).toBeLessThan(1_000);
  });

  it('feels a revocation at once where it is told to forget', async () => {
    const { id, key } = await issue();
    expect(await ring.identify(key)).toBeDefined();
    await revoke(id);
    ring.forget();
    expect(await ring.identify(key)).toBeUndefined();
  });

  it('does not keep an answer that was under way when a key was revoked', async () => {
    const { id, key } = await issue();
    const underWay = ring.identify(key);
    await revoke(id);
    ring.forget();
    await underWay;
    expect(await ring.identify(key)).toBeUndefined();
  });

  it('refuses an expired key, also one that expires while it is remembered', async () => {
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

  it('asks the database once for a key that many requests bring at once', async () => {
    const { key } = await issue();
    const asked = jest.spyOn(database, 'transaction');
    try {
      const callers = await Promise.all(Array.from({ length: 200 }, () => ring.identify(key)));
      expect(callers.every((caller) => caller?.tenantId === tenantId)).toBe(true);
      expect(asked).toHaveBeenCalledTimes(1);
    } finally {
      asked.mockRestore();
    }
  });

  it('takes no more memory than it allows itself under a flood of invented keys', async () => {
    const id = newUuid();
    let asked = 0;
    const transaction = () => {
      asked += 1;
      return Promise.resolve([]);
    };
    const flooded = new KeyRing({ transaction } as unknown as Database, () => undefined);
    const flood = async () => {
      for (let round = 0; round < 25; round += 1) {
        const keys = Array.from({ length: 1_000 }, () => formatApiKey(id, newSecret().secret));
        expect((await Promise.all(keys.map((key) => flooded.identify(key)))).some(Boolean)).toBe(false);
      }
      return settledHeap();
    };
    const full = await flood();
    const fuller = await flood();
    await flooded.close();
    expect(asked).toBe(50_000);
    expect(fuller - full).toBeLessThan(2_000_000);
  });

  it('notes the last use of the keys when it closes', async () => {
    const used = await issue();
    const unused = await issue();
    expect(await ring.identify(used.key)).toBeDefined();
    await ring.close();
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
