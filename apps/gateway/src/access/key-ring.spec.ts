import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { expect, it } from '@jest/globals';
import type { NewAddresses } from '../audit/new-addresses.service.js';
import { formatApiKey, type KeyKind, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.service.js';

it.each<[KeyKind, string[]]>([
  ['apiKey', ['203.0.113.7']],
  ['portalLink', []],
])('the addresses of the holder of a key of kind %s are recorded: %j', async (kind, expected) => {
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
    allowedNetworks: null,
  };
  const recorded: string[] = [];
  const database = { acrossTenants: async () => [row], transaction: async () => undefined } as object as Database;
  const addresses = {
    record: async (used: { addresses: Set<string> }[]) =>
      void recorded.push(...used.flatMap((each) => [...each.addresses])),
    recordRefused: async () => undefined,
  } as object as NewAddresses;
  const ring = new KeyRing(database, {} as never, undefined, addresses);
  expect(await ring.identify(formatApiKey(id, secret, kind), '203.0.113.7')).toMatchObject({ keyId: id });
  await ring.onApplicationShutdown();
  expect(recorded).toEqual(expected);
});
