import { describe, expect, it } from '@jest/globals';
import { grantedRights } from './portal-link.js';

describe('a portal link without given rights', () => {
  it.each([
    [undefined, { access: 'send', bodies: true }],
    [['webhooks:read', 'webhooks:write'], { access: 'send', bodies: false }],
    [['webhooks:read', 'events:read'], { access: 'read', bodies: true }],
  ])('of a key with the scopes %j has %j', (scopes, expected) => {
    expect(grantedRights({}, scopes && new Set(scopes))).toEqual(expected);
  });
});
