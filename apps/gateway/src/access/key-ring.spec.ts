import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { RefusedAddresses } from '../audit/refused-addresses.service.js';
import { formatApiKey, type KeyKind, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.service.js';

const address = '203.0.113.7';
let ring: KeyRing;

/** A ring with one key, the tenants whose keys it recorded as used, the refusals, and what it asked of its database. */
function ringWith({ kind = 'apiKey', allowedNetworks = null }: { kind?: KeyKind; allowedNetworks?: string[] | null }) {
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
