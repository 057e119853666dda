import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { silentLogger } from '@idsync/runtime';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { insertKey } from '../../test/insert-key.js';
import { OperatedGateway } from '../../test/operated-gateway.js';
import { formatApiKey, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.service.js';
import { maxFailures, UnknownKeyLimits } from './unknown-key-limits.js';

const client = '203.0.113.7';
const other = '198.51.100.9';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let ring: KeyRing;

const invented = () => formatApiKey(newUuid(), newSecret().secret);
const ringOf = () => new KeyRing(database, silentLogger, new UnknownKeyLimits());

/** Returns the status of a request with the key. */
async function statusOf(key: string, address: string): Promise<number> {
  return ring.identify(key, address).then(
    (caller) => (caller ? 200 : 401),
    (error: { status: number }) => error.status,
  );
}

/** Sends unknown keys from an address until it is refused. */
async function flood(address: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth <= maxFailures; nth += 1) statuses.push(await statusOf(invented(), address));
  return statuses;
}

describe('unknown keys', () => {
  beforeAll(async () => {
    own = await ServiceDatabase.start('gateway');
    ({ database, fixture } = own);
  });

  afterAll(() => own?.close());

  beforeEach(() => {
    ring = ringOf();
  });

  afterEach(() => ring.onApplicationShutdown());

  it('are rejected with 401, and after 300 in a minute from one address with 429 and Retry-After, without a database query', async () => {
    const queries = jest.spyOn(database, 'acrossTenants');
    try {
      const statuses = await flood(client);
      expect(statuses.slice(0, -1).every((status) => status === 401)).toBe(true);
      expect(statuses.at(-1)).toBe(429);
      expect(queries).toHaveBeenCalledTimes(maxFailures);
      await expect(ring.identify(invented(), client)).rejects.toMatchObject({
        retryAfterSeconds: expect.any(Number),
      });
      await Promise.all(Array.from({ length: 1_000 }, () => statusOf(invented(), client)));
      expect(queries).toHaveBeenCalledTimes(maxFailures);
    } finally {
      queries.mockRestore();
    }
  });

  it('of one address or IPv6 /64 do not affect other addresses', async () => {
    await flood(client);
    await flood('2001:db8:1:2::1');
    expect(await statusOf(invented(), '2001:db8:1:2:ffff::9')).toBe(429);
    for (const address of [other, '2001:db8:1:3::1']) {
      expect(await statusOf(invented(), address)).toBe(401);
      expect(await statusOf(await insertKey(database, await fixture.tenant()), address)).toBe(200);
    }
  });

  it('never block keys of the same address that were valid before or were loaded at the start', async () => {
    const tenant = await fixture.tenant();
    const used = await insertKey(database, tenant);
    expect(await statusOf(used, client)).toBe(200);
    await flood(client);
    expect(await statusOf(used, client)).toBe(200);
    ring.clear();
    expect(await statusOf(used, client)).toBe(200);

    const fresh = await insertKey(database, tenant);
    expect(await statusOf(fresh, client)).toBe(429);
    await ring.preload();
    expect(await statusOf(fresh, client)).toBe(200);
  });

  it('cause at most two concurrent database queries, and one per address', async () => {
    let most = 0;
    let running = 0;
    const acrossTenants = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return [];
    };
    const slow = new KeyRing({ acrossTenants } as unknown as Database, silentLogger, new UnknownKeyLimits());
    const ask = (address: string) =>
      slow.identify(invented(), address).then(
        () => 401,
        (error: { status: number }) => error.status,
      );
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(client)));
    expect(most).toBe(1);
    expect(answers.filter((status) => status === 503)).toHaveLength(49);
    await Promise.all(Array.from({ length: 200 }, (_, nth) => ask(`192.0.2.${nth}`)));
    expect(most).toBe(2);
    await slow.onApplicationShutdown();
  });

  it('are looked up once when many concurrent requests send the same key', async () => {
    const key = await insertKey(database, await fixture.tenant());
    const queries = jest.spyOn(database, 'acrossTenants');
    try {
      const statuses = await Promise.all(Array.from({ length: 200 }, () => statusOf(key, client)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(queries).toHaveBeenCalledTimes(1);
    } finally {
      queries.mockRestore();
    }
  });
});

describe('the address to which unknown keys are attributed', () => {
  const flooded = async (gateway: OperatedGateway) => {
    for (let nth = 0; nth <= maxFailures; nth += 1) {
      await fetch(`${gateway.url}/v1/users`, { headers: { 'x-api-key': invented(), 'x-forwarded-for': client } });
    }
    const from = async (address: string) => {
      const answer = await fetch(`${gateway.url}/v1/users`, {
        headers: { 'x-api-key': invented(), 'x-forwarded-for': address },
      });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
    };
    return { client: await from(client), other: await from(other) };
  };

  const refused = {
    status: 429,
    retryAfter: expect.stringMatching(/^[1-9]\d?$/),
    body: { error: 'too many requests with unknown keys from this address' },
  };

  it('is that of the connection, regardless of headers, if no proxy is trusted', async () => {
    const gateway = await OperatedGateway.start();
    expect(await flooded(gateway)).toEqual({ client: refused, other: refused });
    await gateway.close();
  });

  it('is the one that a trusted proxy reports', async () => {
    const gateway = await OperatedGateway.start({ TRUSTED_PROXIES: ['127.0.0.0/8'] });
    expect(await flooded(gateway)).toMatchObject({ client: refused, other: { status: 401, retryAfter: null } });
    await gateway.close();
  });
});
