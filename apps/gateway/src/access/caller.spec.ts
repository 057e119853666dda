import { describe, expect, it } from '@jest/globals';
import { accountOf, type LinkCaller } from './caller.js';

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

describe('the account that limits apply to', () => {
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
