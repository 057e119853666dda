import { setImmediate as nextTurn } from 'node:timers/promises';
import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { GatewayConfig } from '@idsync/runtime';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ConfigService } from '@nestjs/config';
import type { RefusedAddresses } from '../audit/refused-addresses.service.js';
import { constantTimeEqual, formatApiKey, hashSecret, type KeyKind, newSecret, parseApiKey } from './api-key.js';
import { accountOf, type KeyCaller, type LinkCaller } from './caller.js';
import { KeyRing } from './key-ring.service.js';
import { RateLimit } from './rate-limit.service.js';
import { maxFailures, UnknownKeyLimits } from './unknown-key-limits.js';

describe('an API key', () => {
  it('consists of iss, the id and 256 random bits, and is parsed as formatted', () => {
    const id = newUuid();
    const { secret } = newSecret();
    const key = formatApiKey(id, secret);
    expect(key).toMatch(/^iss_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(parseApiKey(key)).toEqual({ kind: 'apiKey', id, secret });
  });

  it('has another prefix if it is the key of a portal link', () => {
    const id = newUuid();
    const { secret } = newSecret();
    const key = formatApiKey(id, secret, 'portalLink');
    expect(key).toMatch(/^ipl_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(parseApiKey(key)).toEqual({ kind: 'portalLink', id, secret });
  });

  it('has a new secret each time, of which only the hash is stored', () => {
    const secrets = Array.from({ length: 1000 }, newSecret);
    expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(1000);
    for (const { secret, hash } of secrets.slice(0, 10)) {
      expect(hash).toEqual(hashSecret(secret));
      expect(hash).toHaveLength(32);
      expect(hash.includes(Buffer.from(secret, 'base64url'))).toBe(false);
    }
  });

  const valid = formatApiKey(newUuid(), newSecret().secret);
  it.each([
    '',
    'iss',
    'iss__',
    valid.slice(1),
    valid.slice(0, -1),
    `${valid}A`,
    ` ${valid}`,
    `${valid}\n`,
    `${valid}, ${valid}`,
    valid.replace('iss_', 'key_'),
    valid.replace('iss_', 'ISS_'),
    `iss_${'z'.repeat(26)}_${'A'.repeat(43)}`,
    `iss_${'0'.repeat(25)}u_${'A'.repeat(43)}`,
    `iss_${'0'.repeat(26)}_${'!'.repeat(43)}`,
    'x'.repeat(100_000),
  ])('is invalid if written as %.60s', (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });
});

describe('constantTimeEqual', () => {
  it('distinguishes equal from different texts of any length', () => {
    expect(constantTimeEqual('operator', 'operator')).toBe(true);
    for (const other of ['', 'operato', 'operator ', 'Operator', 'x'.repeat(1000)]) {
      expect(constantTimeEqual('operator', other)).toBe(false);
    }
  });
});

describe('the ring of keys:', () => {
  const address = '203.0.113.7';
  let ring: KeyRing;

  /** A ring with one key, the tenants whose keys it recorded as used, the refusals, and what it asked of its database. */
  function ringWith({
    kind = 'apiKey',
    allowedNetworks = null,
  }: {
    kind?: KeyKind;
    allowedNetworks?: string[] | null;
  }) {
    const [id, { secret, hash }] = [newUuid(), newSecret()];
    const row = {
      tenantId: newUuid(),
      secretHash: hash,
      scopes: [],
      revokedAt: null,
      expiresAt: new Date(Date.now() + 60_000),
      webhookIds: [],
      access: 'read',
      bodies: false,
      issuedBy: null,
      allowedNetworks,
    };
    const [used, refused]: [string[], string[]] = [[], []];
    const lookUps = jest.fn(async () => [row]);
    const database = {
      acrossTenants: lookUps,
      transaction: async (id: string) => void used.push(id),
    } as object as Database;
    const addresses = {
      record: async (keys: { addresses: Set<string> }[]) =>
        void refused.push(...keys.flatMap((each) => [...each.addresses])),
    } as object as RefusedAddresses;
    ring = new KeyRing(database, {} as never, undefined, addresses);
    return { id, key: formatApiKey(id, secret, kind), tenantId: row.tenantId, lookUps, used, refused };
  }

  afterEach(() => ring.onApplicationShutdown());

  it.each<[KeyKind, boolean]>([
    ['apiKey', true],
    ['portalLink', false],
  ])(
    'the use of a key of kind %s, and the address from which it was refused, are recorded: %p',
    async (kind, isRecorded) => {
      const { id, key, tenantId, used } = ringWith({ kind });
      expect(await ring.identify(key, address)).toMatchObject({ keyId: id });
      await ring.onApplicationShutdown();
      expect(used).toEqual(isRecorded ? [tenantId] : []);
      const restricted = ringWith({ kind, allowedNetworks: ['198.51.100.0/24'] });
      await expect(ring.identify(restricted.key, address)).rejects.toMatchObject({ status: 403 });
      await ring.onApplicationShutdown();
      expect(restricted.refused).toEqual(isRecorded ? [address] : []);
    },
  );

  describe('a key', () => {
    it('is looked up once for concurrent requests, and not again for the next one', async () => {
      const { id, key, lookUps } = ringWith({});
      const holders = await Promise.all([ring.identify(key), ring.identify(key)]);
      expect([...holders, await ring.identify(key)]).toEqual(Array(3).fill(expect.objectContaining({ keyId: id })));
      expect(lookUps).toHaveBeenCalledTimes(1);
    });

    it('that does not exist has no holder', async () => {
      const { key, lookUps } = ringWith({});
      lookUps.mockResolvedValue([]);
      expect([await ring.identify(key), await ring.identify(key)]).toEqual([undefined, undefined]);
      expect(lookUps).toHaveBeenCalledTimes(1);
    });

    it('is refused outside its networks, and each such address is recorded once', async () => {
      const { key, used, refused } = ringWith({ allowedNetworks: ['198.51.100.0/24'] });
      await expect(ring.identify(key, address)).rejects.toMatchObject({ status: 403 });
      await ring.onApplicationShutdown();
      await ring.onApplicationShutdown();
      expect({ used, refused }).toEqual({ used: [], refused: [address] });
    });
  });
});

describe('the requests of a minute', () => {
  const limitOf = (perKey?: number) =>
    new RateLimit({ get: () => perKey } as Partial<ConfigService> as ConfigService<GatewayConfig, true>);
  const caller = (tenantId: string, requestsPerMinute?: number): KeyCaller => ({
    access: 'key',
    keyId: newUuid(),
    tenantId,
    scopes: new Set(),
    requestsPerMinute,
  });

  it('of all keys of a tenant are accepted up to its quota', async () => {
    const limit = limitOf();
    for (let n = 0; n < 2; n += 1) await limit.take(caller('a', 2));
    const refused = { status: 429, message: 'the tenant may send 2 requests a minute', retryAfterSeconds: 60 };
    await expect(limit.take(caller('a', 2))).rejects.toMatchObject(refused);
    await limit.take(caller('b', 2));
    expect(await limit.usedBy('b')).toBe(1);
    expect(await limit.usedBy('c')).toBe(0);
  });

  it('of a tenant without a quota are not limited', async () => {
    const limit = limitOf();
    for (let n = 0; n < 5; n += 1) await limit.take(caller('a'));
    expect(await limit.usedBy('a')).toBe(0);
  });

  it('of a key are accepted up to the limit of the installation', async () => {
    const limit = limitOf(2);
    const [one, other] = [caller('a'), caller('a')];
    for (let n = 0; n < 2; n += 1) await limit.take(one);
    await expect(limit.take(one)).rejects.toMatchObject({ status: 429, message: 'too many requests with this key' });
    await limit.take(other);
  });
});

describe('the account that limits apply to', () => {
  const link = (given: Partial<LinkCaller>): LinkCaller => ({
    access: 'portal-link',
    keyId: 'link',
    tenantId: 'tenant',
    webhookIds: new Set(),
    portal: 'read',
    scopes: new Set(),
    expiresAt: new Date(),
    ...given,
  });

  it('is the key of a client', () => {
    expect(accountOf({ access: 'key', keyId: 'key', tenantId: 'tenant', scopes: new Set() })).toBe('key');
  });

  it('is the same for all links of one issuer, and not the account of that issuer', () => {
    const [one, other] = ['1', '2'].map((keyId) => accountOf(link({ keyId, issuedBy: 'key' })));
    expect(one).toBe(other);
    expect(one).not.toBe('key');
    expect(accountOf(link({ issuedBy: 'another' }))).not.toBe(one);
    expect(accountOf(link({ keyId: '1' }))).toBe(accountOf(link({ keyId: '2' })));
  });
});

describe('look-ups of unknown keys', () => {
  const nothing = async () => undefined;

  async function failIn(limits: UnknownKeyLimits, address: string, times: number): Promise<void> {
    for (let n = 0; n < times; n += 1) await limits.lookUp(address, nothing);
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('are refused until a minute after the first failure of the network', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const limits = new UnknownKeyLimits();
    for (let n = 0; n < maxFailures; n += 1) limits.count('198.51.100.7');
    const check = () => limits.check('198.51.100.7');
    clock.mockReturnValue(31_000);
    expect(check).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 30 }));
    clock.mockReturnValue(60_999);
    expect(check).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 1 }));
    clock.mockReturnValue(61_000);
    expect(check).not.toThrow();
  });

  it('are at most two at once, and refused without a place if their network failed too often', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures);
    const answers: (() => void)[] = [];
    const hanging = () => new Promise<undefined>((resolve) => answers.push(() => resolve(undefined)));
    const pending = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => limits.lookUp(address, hanging));
    await nextTurn();
    expect(answers).toHaveLength(2);
    await expect(limits.lookUp('198.51.100.7', nothing)).rejects.toMatchObject({ status: 429 });
    answers[0]?.();
    await nextTurn();
    expect(answers).toHaveLength(3);
    for (const answer of answers) answer();
    expect(await Promise.all(pending)).toEqual([undefined, undefined, undefined]);
  });

  it('are refused with the time to wait after too many failures of a network', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures);
    const refused = limits.lookUp('198.51.100.7', async () => 'a key');
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) });
  });

  it('of another network are not affected', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures);
    expect(await limits.lookUp('203.0.113.9', async () => 'a key')).toBe('a key');
  });

  it('are refused in the queue when earlier ones of the network have failed in the meantime', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures - 1);
    let found = 0;
    const first = limits.lookUp('198.51.100.7', nothing);
    const second = limits.lookUp('198.51.100.7', async () => (found += 1));
    expect(await first).toBeUndefined();
    await expect(second).rejects.toMatchObject({ status: 429 });
    expect(found).toBe(0);
  });

  it('are counted for the 10 000 networks that sent them last', () => {
    const limits = new UnknownKeyLimits();
    for (let n = 0; n < maxFailures; n += 1) limits.count('198.51.100.7');
    for (let n = 0; n < 9_999; n += 1) limits.count(`network ${n}`);
    expect(() => limits.check('198.51.100.7')).toThrow(expect.objectContaining({ status: 429 }));
    for (let n = 0; n < 10_000; n += 1) limits.count(`network ${n}`);
    expect(() => limits.check('198.51.100.7')).not.toThrow();
  });

  it('that find a key do not count', async () => {
    const limits = new UnknownKeyLimits();
    for (let n = 0; n <= maxFailures; n += 1) await limits.lookUp('198.51.100.7', async () => 'a key');
    expect(await limits.lookUp('198.51.100.7', async () => 'another')).toBe('another');
  });

  it('free their place when they fail', async () => {
    const limits = new UnknownKeyLimits();
    const fails = async () => Promise.reject(new Error('the database is away'));
    for (let n = 0; n < 5; n += 1) await expect(limits.lookUp('198.51.100.7', fails)).rejects.toThrow('away');
    expect(await limits.lookUp('198.51.100.7', async () => 'a key')).toBe('a key');
  });

  it('are refused as busy after five seconds in the queue', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    try {
      const limits = new UnknownKeyLimits();
      const answers: (() => void)[] = [];
      const hanging = () => new Promise<undefined>((resolve) => answers.push(() => resolve(undefined)));
      const running = ['192.0.2.1', '192.0.2.2'].map((address) => limits.lookUp(address, hanging));
      let refusal: unknown;
      const waiting = limits.lookUp('192.0.2.3', hanging).catch((error: unknown) => {
        refusal = error;
      });
      await nextTurn();
      await jest.advanceTimersByTimeAsync(4_999);
      expect(refusal).toBeUndefined();
      await jest.advanceTimersByTimeAsync(1);
      await waiting;
      expect(refusal).toMatchObject({ status: 503, retryAfterSeconds: 5 });
      for (const answer of answers) answer();
      await Promise.all(running);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are refused as busy when they wait for too long', async () => {
    const limits = new UnknownKeyLimits({ each: 1, all: 1, queued: 5, waitMs: 10, bytes: { each: 0, all: 0 } });
    let answer = (_: undefined) => {};
    const first = limits.lookUp('198.51.100.7', () => new Promise<undefined>((resolve) => (answer = resolve)));
    await expect(limits.lookUp('192.0.2.1', nothing)).rejects.toMatchObject({ status: 503 });
    answer(undefined);
    expect(await first).toBeUndefined();
  });
});
