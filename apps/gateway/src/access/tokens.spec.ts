import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { GatewayConfig } from '@idsync/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ConfigService } from '@nestjs/config';
import type { FastifyRequest } from 'fastify';
import { newSecret } from './api-key.js';
import { rightsOf } from './find-holder.js';
import { bearerTokenOf } from './key-access.js';
import { adminTokenCaller, OperatorTokens } from './operator-tokens.service.js';
import { formatServiceToken, ServiceTokens } from './service-tokens.service.js';
import { maxFailures, UnknownKeyLimits } from './unknown-key-limits.js';

describe('a bearer token:', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Basic abc', undefined],
    ['Bearer ', undefined],
    ['Bearer', undefined],
    ['abc', undefined],
    [undefined, undefined],
  ])('the bearer token of the header %j is %j', (authorization, token) => {
    expect(bearerTokenOf({ headers: { authorization } } as FastifyRequest)).toBe(token);
  });
});

describe('ADMIN_TOKEN', () => {
  const token = 'the-token-of-the-installation';
  const [guesser, holder] = ['203.0.113.7', '203.0.113.8'];

  function tokensWith(settings: Partial<GatewayConfig> = { ADMIN_TOKEN: token }): OperatorTokens {
    const config = { get: (name: keyof GatewayConfig) => settings[name] } as unknown as ConfigService<
      GatewayConfig,
      true
    >;
    const serviceTokens = { identify: async () => undefined } as unknown as ServiceTokens;
    return new OperatorTokens(config, serviceTokens);
  }

  function guess(tokens: OperatorTokens, address: string, times: number): void {
    for (let sent = 0; sent < times; sent += 1) expect(tokens.identify(`guess-${sent}`, address)).toBeUndefined();
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('cannot be found by a network that guessed too often in a minute, while other networks sign in', () => {
    const tokens = tokensWith();
    guess(tokens, guesser, maxFailures);
    for (const each of ['another', token])
      expect(() => tokens.identify(each, guesser)).toThrow(expect.objectContaining({ status: 429 }));
    expect(tokens.identify(token, holder)).toBe(adminTokenCaller);
  });

  it('is accepted from the network where it was used before, whatever others send from there', () => {
    const tokens = tokensWith();
    expect(tokens.identify(token, holder)).toBe(adminTokenCaller);
    guess(tokens, holder, maxFailures + 1);
    expect(tokens.identify(token, holder)).toBe(adminTokenCaller);
  });

  it.each([
    ['accepted', 'less', -1],
    ['refused', 'more', 1],
  ])(
    'is %s from a network with many guesses if it was used there %s than a day ago',
    async (outcome, _than, minutes) => {
      const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
      const tokens = tokensWith();
      tokens.identify(token, holder);
      clock.mockReturnValue(1_000 + (24 * 60 + minutes) * 60_000);
      // The cache reads the clock at most once per millisecond of real time.
      await sleep(5);
      const found = () => {
        guess(tokens, holder, maxFailures);
        return tokens.identify(token, holder);
      };
      if (outcome === 'accepted') expect(found()).toBe(adminTokenCaller);
      else expect(found).toThrow(expect.objectContaining({ status: 429 }));
    },
  );

  it('is unknown if it is disabled', () => {
    const tokens = tokensWith({ ADMIN_TOKEN: token, ADMIN_TOKEN_DISABLED: true });
    expect(tokens.identify(token, holder)).toBeUndefined();
  });
});

describe('a service token', () => {
  const address = '203.0.113.7';
  const start = Date.parse('2026-06-01T00:00:00Z');
  let tokens: ServiceTokens;
  let now: jest.SpiedFunction<typeof Date.now>;

  /** A token of a row, and what the service identifies it as. */
  function stored(row: { expiresAt?: Date; revokedAt?: Date }) {
    const [id, { secret, hash }] = [newUuid(), newSecret()];
    const known = { id, name: 'robot', role: 'viewer', tenantIds: null, expiresAt: null, revokedAt: null, ...row };
    const read = jest.fn(async () => ({ ...known, secretHash: hash }));
    const database = { readTransaction: read } as object as Database;
    tokens = new ServiceTokens(database, {} as never, new UnknownKeyLimits());
    const identify = async (text = formatServiceToken(id, secret)) =>
      (await tokens.identify(text, address))?.actor.name;
    return { identify, read, known, other: formatServiceToken(id, newSecret().secret) };
  }

  beforeEach(() => {
    now = jest.spyOn(Date, 'now').mockReturnValue(start);
  });

  afterEach(async () => {
    now.mockRestore();
    await tokens.onApplicationShutdown().catch(() => undefined);
  });

  it('is known with its own secret only', async () => {
    now.mockReturnValue(start);
    const { identify, other } = stored({});
    expect([await identify(), await identify(other), await identify('ist_1')]).toEqual(['robot', undefined, undefined]);
  });

  it('is unknown from the moment it expires, also while it is in the cache', async () => {
    const { identify } = stored({ expiresAt: new Date(start) });
    now.mockReturnValue(start - 1);
    expect([await identify(), await identify()]).toEqual(['robot', 'robot']);
    now.mockReturnValue(start);
    expect(await identify()).toBeUndefined();
  });

  it('is looked up again after a revocation that began during its look-up', async () => {
    now.mockReturnValue(start);
    const { identify, read, known } = stored({});
    const before = await read();
    read.mockImplementationOnce(async () => {
      known.revokedAt = new Date(start);
      tokens.clear();
      return before;
    });
    expect([await identify(), await identify()]).toEqual(['robot', undefined]);
  });

  it('is unknown once it is revoked', async () => {
    now.mockReturnValue(start);
    expect(await stored({ revokedAt: new Date(start) }).identify()).toBeUndefined();
  });
});

describe('the rights of a portal link', () => {
  const full = ['webhooks:read', 'webhooks:write', 'events:read', 'users:read'];

  it.each([
    { access: 'read', bodies: false, scopes: null, expected: ['read', 'webhooks:read'] },
    {
      access: 'change',
      bodies: true,
      scopes: null,
      expected: ['change', 'webhooks:read', 'webhooks:write', 'events:read'],
    },
    { access: 'send', bodies: false, scopes: full, expected: ['send', 'webhooks:read', 'webhooks:write'] },
    { access: 'change', bodies: true, scopes: ['webhooks:read'], expected: ['read', 'webhooks:read'] },
    { access: 'change', bodies: true, scopes: ['users:read'], expected: ['read'] },
  ] as const)('of $access with the scopes $scopes are $expected', ({ access, bodies, scopes, expected }) => {
    const { portal, scopes: granted } = rightsOf({ access, bodies, scopes: scopes && [...scopes] });
    expect([portal, ...granted]).toEqual(expected);
  });
});
