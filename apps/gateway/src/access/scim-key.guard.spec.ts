import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { KeyCaller } from './caller.js';
import type { KeyRing } from './key-ring.service.js';
import { isScimRead, ScimKeyGuard } from './scim-key.guard.js';

it.each([
  ['/scim/v2/Users', true],
  ['/scim/v2/Users/usr_1', true],
  ['/scim/v3', true],
  ['/scim/', true],
  ['/scim/v2/con_1/Users', false],
  ['/scim/v2/:connectorId/Users', false],
  ['/v1/users', false],
  ['/v1/scim/', false],
])('whether %s belongs to the SCIM service that reads: %s', (path, expected) => {
  expect(isScimRead(path)).toBe(expected);
});

describe('an API key', () => {
  const key = (scopes: string[], isSuspended = false): KeyCaller => ({
    access: 'key',
    keyId: 'a',
    tenantId: 'b',
    scopes: new Set(scopes),
    isSuspended,
  });
  /** Returns the path, or the status of the error. */
  const read = async (path: string, caller: KeyCaller | undefined) => {
    const guard = new ScimKeyGuard({ identify: async () => caller } as Partial<KeyRing> as KeyRing);
    const request = { headers: { 'x-api-key': 'isk_1' } } as Partial<FastifyRequest> as FastifyRequest;
    return guard.identify(request, path).then(
      () => path,
      (error) => error.status,
    );
  };

  it('reads by SCIM what its scopes include, and how the service is configured', async () => {
    const [users, groups, config] = ['/scim/v2/Users', '/scim/v2/Groups/grp_1', '/scim/v2/ServiceProviderConfig'];
    for (const path of [users, config]) expect(await read(path, key(['users:read']))).toBe(path);
    expect(await read(groups, key(['users:read']))).toBe(403);
    for (const path of [groups, config]) expect(await read(path, key(['groups:read']))).toBe(path);
    expect(await read(users, key(['groups:read']))).toBe(403);
  });

  it('reads nothing by SCIM if it is unknown or its tenant is suspended', async () => {
    expect(await read('/scim/v2/Users', undefined)).toBe(401);
    expect(await read('/scim/v2/Users', key(['users:read'], true))).toBe(403);
  });
});
