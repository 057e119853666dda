import { describe, expect, it } from '@jest/globals';
import { rightsOf } from './find-holder.js';

const full = ['webhooks:read', 'webhooks:write', 'events:read', 'users:read'];

describe('the rights of a portal link', () => {
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
