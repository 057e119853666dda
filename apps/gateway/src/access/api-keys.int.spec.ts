import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { insertApiKey, revokeApiKey } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { insertKey } from '../../test/insert-key.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';
import { formatApiKey, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.service.js';
import { maxFailures, UnknownKeyLimits } from './unknown-key-limits.js';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  ({ database, fixture } = own);
});

afterAll(() => own?.close());

describe('the API key cache', () => {
  let tenantId: string;
  let ring: KeyRing;
  const warnings: unknown[][] = [];
  const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };

  beforeAll(async () => {
    tenantId = await fixture.tenant();
  });

  beforeEach(() => {
    ring = new KeyRing(database, logger);
  });

  afterEach(() => ring.onApplicationShutdown());

  async function issue(expiresAt?: Date): Promise<{ id: string; key: string }> {
    const { secret, hash } = newSecret();
    const { id } = await database.transaction(tenantId, (tx) =>
      insertApiKey(tx, { name: 'test', scopes: ['users:read'], secretHash: hash, expiresAt }),
    );
    return { id, key: formatApiKey(id, secret) };
  }

  const revoke = (id: string) => database.transaction(tenantId, (tx) => revokeApiKey(tx, id));

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

  function settledHeap(): number {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    return process.memoryUsage().heapUsed;
  }

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

describe('unknown keys:', () => {
  const client = '203.0.113.7';
  const other = '198.51.100.9';

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
});

describe('networks of keys:', () => {
  let gateway: OperatedGateway;
  let path: string;

  beforeAll(async () => {
    gateway = await OperatedGateway.start({ TRUSTED_PROXIES: ['127.0.0.1'] });
    path = `/tenants/${(await gateway.operator('POST', '/tenants', { name: 'Acme' })).body.id}`;
  });

  afterAll(() => gateway?.close());

  const issue = async (allowed_networks?: string[]) =>
    (await gateway.operator('POST', `${path}/api-keys`, { name: 'a', ...(allowed_networks && { allowed_networks }) }))
      .body;

  /** Sends a request through a proxy that the gateway trusts. */
  async function from(address: string, key: string, route = '/v1/users') {
    const headers = { 'x-api-key': key, 'x-forwarded-for': address };
    const answer = await fetch(`${gateway.url}${route}`, { headers });
    return { status: answer.status, body: (await answer.json()) as Body };
  }

  describe('networks of a key', () => {
    it.each([[['192.0.2.0/33']], [['example.com']], [[]], [Array(51).fill('192.0.2.1')]])(
      'are refused with 400: %j',
      async (allowed_networks) => {
        const { status } = await gateway.operator('POST', `${path}/api-keys`, { name: 'a', allowed_networks });
        expect(status).toBe(400);
      },
    );
  });

  describe('a key that is restricted to networks', () => {
    it.each(['192.0.2.7', '::ffff:192.0.2.8', '2001:db8::9'])('is accepted from %s', async (address) => {
      const { key } = await issue(['192.0.2.0/24', '2001:db8::/32']);
      expect((await from(address, key)).status).toBe(200);
    });

    it.each(['192.0.3.1', '2001:db9::1'])('is refused with 403 from %s', async (address) => {
      const { key } = await issue(['192.0.2.0/24', '2001:db8::/32']);
      for (const route of ['/v1/users', '/v1/identities', '/scim/v2/Users']) {
        expect((await from(address, key, route)).status).toBe(403);
      }
      expect((await from(address, key)).body).toEqual({ error: `the key may not be used from ${address}` });
    });

    it('follows a change of its networks, which is an entry of the audit log', async () => {
      const { id, key } = await issue(['192.0.2.0/24']);
      const change = (allowed_networks: string[] | null) =>
        gateway.operator('PATCH', `${path}/api-keys/${id}`, { allowed_networks });
      expect((await change(['198.51.100.0/24'])).body.allowed_networks).toEqual(['198.51.100.0/24']);
      expect((await from('192.0.2.7', key)).status).toBe(403);
      expect((await from('198.51.100.7', key)).status).toBe(200);
      expect((await gateway.operator('PATCH', `${path}/api-keys/${id}`, { name: 'b' })).body).toHaveProperty(
        'allowed_networks',
      );
      expect((await change(null)).body).not.toHaveProperty('allowed_networks');
      expect((await from('192.0.2.7', key)).status).toBe(200);
      expect((await change([])).status).toBe(400);
      const entries = (await gateway.operator('GET', `${path}/audit?resource=${id}&limit=200`)).body.data;
      expect(entries).toContainEqual(
        expect.objectContaining({
          before: expect.objectContaining({ allowed_networks: ['192.0.2.0/24'] }),
          after: expect.objectContaining({ allowed_networks: ['198.51.100.0/24'] }),
        }),
      );
    });

    it('reveals nothing about its networks to a caller with a wrong secret', async () => {
      const { key } = await issue(['192.0.2.0/24']);
      expect((await from('192.0.3.1', `${key.slice(0, -4)}AAAA`)).status).toBe(401);
    });

    it('shows its networks, and is recorded where it was refused', async () => {
      const { id, key, allowed_networks } = await issue(['192.0.2.0/24', '192.0.2.0/24']);
      expect(allowed_networks).toEqual(['192.0.2.0/24']);
      const { data } = (await gateway.operator('GET', `${path}/api-keys?limit=200`)).body;
      expect(data.find((each: Body) => each.id === id)).toMatchObject({ allowed_networks });
      await from('198.51.100.1', key);
      await from('198.51.100.1', key);
      // The observations of a minute are written when the gateway stops.
      await gateway.closeGateway();
      const entries = await gateway.fixture.rows<{ entry: string }>(
        `select entry from audit_entries where action = 'keyRefusedFromAddress' and resource = $1`,
        [id],
      );
      expect(entries.map(({ entry }) => JSON.parse(entry))).toMatchObject([
        { address: '198.51.100.1', outcome: 'observed', actor: { kind: 'api_key', id } },
      ]);
      const [stored] = await gateway.fixture.rows<{ used: boolean }>(
        `select last_used_at is not null as used from api_keys k where allowed_networks = '{192.0.2.0/24}' order by created_at desc limit 1`,
      );
      expect(stored?.used).toBe(false);
    });
  });
});

describe('the rate limit', () => {
  const perMinute = 3;
  let gateway: OperatedGateway;

  beforeAll(async () => {
    gateway = await OperatedGateway.start({ RATE_LIMIT_PER_MINUTE: perMinute });
  });

  afterAll(() => gateway?.close());

  async function newTenant() {
    const tenant = (await gateway.operator('POST', '/tenants', { name: 'Test' })).body.id;
    const issue = async () => (await gateway.operator('POST', `/tenants/${tenant}/api-keys`, { name: 'a' })).body.key;
    return { tenant, issue };
  }

  async function ask(path: string, headers: Record<string, string>) {
    const answer = await fetch(`${gateway.url}${path}`, { headers });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
  }

  /** Sends one request more than the limit and returns the last response; the others must succeed. */
  async function oneTooMany(path: string, headers: Record<string, string>) {
    for (let request = 0; request < perMinute; request += 1) expect((await ask(path, headers)).status).toBe(200);
    return ask(path, headers);
  }

  it('responds with 429 and Retry-After to the key that exceeds it, and to no other key', async () => {
    const { issue } = await newTenant();
    const [greedy, modest] = [await issue(), await issue()];
    const { status, retryAfter, body } = await oneTooMany('/v1/users', { 'x-api-key': greedy });
    expect({ status, body }).toEqual({ status: 429, body: { error: 'too many requests with this key' } });
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect((await ask('/v1/identities', { 'x-api-key': greedy })).status).toBe(429);
    expect((await ask('/v1/users', { 'x-api-key': modest })).status).toBe(200);
  });

  it('responds to identity providers with a SCIM error', async () => {
    const { tenant } = await newTenant();
    const source = { type: 'scim-push', name: 'IdP', records: 'user', priority: 10, config: {} };
    const connector = (await gateway.operator('POST', `/tenants/${tenant}/connectors`, source)).body.id;
    const made = await gateway.operator('POST', `/tenants/${tenant}/connectors/${connector}/tokens`, { name: 'idp' });
    const authorization = `Bearer ${made.body.token}`;
    const { status, body } = await oneTooMany(`/scim/v2/${connector}/Users`, { authorization });
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '429',
        detail: 'too many requests with this key',
      },
    });
  });

  it('does not apply to the health check or to operators', async () => {
    for (let request = 0; request <= perMinute; request += 1) {
      expect((await ask('/v1/health', {})).status).toBe(200);
      expect((await gateway.operator('GET', '/tenants')).status).toBe(200);
    }
  });

  it('does not count requests without a valid key', async () => {
    for (let request = 0; request <= perMinute; request += 1) expect((await ask('/v1/users', {})).status).toBe(401);
  });
});
