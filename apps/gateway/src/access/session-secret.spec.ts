import { newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { newSecret } from './api-key.js';
import { boundHash, csrfTokenOf, formatSession, parseSession } from './session-secret.js';

const { secret } = newSecret();

describe('the cookie of a session', () => {
  it('contains the id and the secret of the session', () => {
    const id = newUuid();
    expect(parseSession(formatSession(id, secret))).toEqual({ id, secret });
  });

  it.each(['', 'iso_', `iss_${'0'.repeat(26)}_${secret}`, `iso_${'0'.repeat(26)}_${secret}x`, `iso_z_${secret}`])(
    'of another form belongs to no session: %s',
    (text) => {
      expect(parseSession(text)).toBeUndefined();
    },
  );
});

describe('the stored hash of a session', () => {
  it('depends on the secret and on the setting that allowed the sign-in', () => {
    const hashes = [
      boundHash(secret, 'one'),
      boundHash(secret, 'another'),
      boundHash(newSecret().secret, 'one'),
      boundHash(secret, 'csrf'),
    ].map((hash) => hash.toString('hex'));
    expect(new Set(hashes).size).toBe(4);
    expect(boundHash(secret, 'one').toString('hex')).toBe(hashes[0]);
  });
});

describe('the CSRF token of a session', () => {
  it('is the same each time, and reveals neither the secret nor the stored hash', () => {
    const token = csrfTokenOf(secret);
    expect(csrfTokenOf(secret)).toBe(token);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([secret, boundHash(secret, '').toString('base64url')]).not.toContain(token);
  });
});
