import { newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { constantTimeEqual, formatApiKey, hashSecret, newSecret, parseApiKey } from './api-key.js';

describe('an API key', () => {
  it('consists of iss, the id and 256 random bits, and is parsed as formatted', () => {
    const id = newUuid();
    const { secret } = newSecret();
    const key = formatApiKey(id, secret);
    expect(key).toMatch(/^iss_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(parseApiKey(key)).toEqual({ kind: 'apiKey', id, secret });
  });

  it('has another prefix if it is the key of a portal link', () => {
    const id = newUuid();
    const { secret } = newSecret();
    const key = formatApiKey(id, secret, 'portalLink');
    expect(key).toMatch(/^ipl_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(parseApiKey(key)).toEqual({ kind: 'portalLink', id, secret });
  });

  it('has a new secret each time, of which only the hash is stored', () => {
    const secrets = Array.from({ length: 1000 }, newSecret);
    expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(1000);
    for (const { secret, hash } of secrets.slice(0, 10)) {
      expect(hash).toEqual(hashSecret(secret));
      expect(hash).toHaveLength(32);
      expect(hash.includes(Buffer.from(secret, 'base64url'))).toBe(false);
    }
  });

  const valid = formatApiKey(newUuid(), newSecret().secret);
  it.each([
    '',
    'iss',
    'iss__',
    valid.slice(1),
    valid.slice(0, -1),
    `${valid}A`,
    ` ${valid}`,
    `${valid}\n`,
    `${valid}, ${valid}`,
    valid.replace('iss_', 'key_'),
    valid.replace('iss_', 'ISS_'),
    `iss_${'z'.repeat(26)}_${'A'.repeat(43)}`,
    `iss_${'0'.repeat(25)}u_${'A'.repeat(43)}`,
    `iss_${'0'.repeat(26)}_${'!'.repeat(43)}`,
    'x'.repeat(100_000),
  ])('is invalid if written as %.60s', (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });
});

describe('constantTimeEqual', () => {
  it('distinguishes equal from different texts of any length', () => {
    expect(constantTimeEqual('operator', 'operator')).toBe(true);
    for (const other of ['', 'operato', 'operator ', 'Operator', 'x'.repeat(1000)]) {
      expect(constantTimeEqual('operator', other)).toBe(false);
    }
  });
});
