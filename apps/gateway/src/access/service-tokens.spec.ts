import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { newSecret } from './api-key.js';
import { formatServiceToken, ServiceTokens } from './service-tokens.service.js';
import { UnknownKeyLimits } from './unknown-key-limits.js';

const address = '203.0.113.7';
const start = Date.parse('2026-06-01T00:00:00Z');
let tokens: ServiceTokens;

/** A token of a row, and what the service identifies it as. */
function stored(row: { expiresAt?: Date; revokedAt?: Date }) {
  const [id, { secret, hash }] = [newUuid(), newSecret()];
  const known = { id, name: 'robot', role: 'viewer', tenantIds: null, expiresAt: null, revokedAt: null, ...row };
  const read = jest.fn(async () => ({ ...known, secretHash: hash }));
  const database = { readTransaction: read } as object as Database;
  tokens = new ServiceTokens(database, {} as never, new UnknownKeyLimits());
  const identify = async (text = formatServiceToken(id, secret)) => (await tokens.identify(text, address))?.actor.name;
  return { identify, read, known, other: formatServiceToken(id, newSecret().secret) };
}

describe('a service token', () => {
  const now = jest.spyOn(Date, 'now');
  afterEach(() => tokens.onApplicationShutdown().catch(() => undefined));

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
