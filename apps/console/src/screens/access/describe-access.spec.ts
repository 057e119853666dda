import { describe, expect, it } from '@jest/globals';
import { endOfDay, methodOf, scopesOf, stateOf } from './describe-access.js';

const now = Date.parse('2026-11-24T12:00:00Z');

describe('a key in the console', () => {
  it.each([
    [{}, 'Active'],
    [{ expires_at: '2027-11-24T12:00:00Z' }, 'Active'],
    [{ expires_at: '2026-11-25T12:00:00Z' }, 'Expires soon'],
    [{ expires_at: '2026-11-24T11:00:00Z' }, 'Expired'],
    [{ expires_at: '2027-11-24T12:00:00Z', revoked_at: '2026-11-24T12:00:00Z' }, 'Revoked'],
  ])('says whether %j can be used', (key, word) => {
    expect(stateOf(key, now).word).toBe(word);
  });

  it('or a session names how the operator signed in', () => {
    expect(['oidc', 'service_token', 'admin_token'].map(methodOf)).toEqual([
      'the identity provider',
      'a service token',
      'the operator token',
    ]);
  });

  it('names its scopes, or all of them', () => {
    expect([scopesOf(['a', 'b'], 2), scopesOf(['a', 'b'], 3)]).toEqual(['All', 'a, b']);
  });

  it('expires at the end of a day, or never', () => {
    expect(endOfDay('')).toBeUndefined();
    expect(Date.parse(endOfDay('2026-11-24') ?? '')).toBe(new Date('2026-11-24T23:59:59').getTime());
  });
});
