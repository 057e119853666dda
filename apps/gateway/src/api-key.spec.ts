import { newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { formatApiKey, hashSecret, newSecret, parseApiKey, sameText } from './api-key.js';

describe('an API key', () => {
  it('is iss, the id and 256 random bits, and is read as it was written', () => {
    const id = newUuid();
    const { secret } = newSecret();
    const key = formatApiKey(id, secret);
    expect(key).toMatch(/^iss_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(parseApiKey(key)).toEqual({ id, secret });
  });

  it('has a secret of its own each time, of which only the hash is kept', () => {
    const made = Array.from({ length: 1000 }, newSecret);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1000);
    for (const { secret, hash } of made.slice(0, 10)) {
      expect(hash).toEqual(hashSecret(secret));
      expect(hash).toHaveLength(32);
      expect(hash.includes(Buffer.from(secret, 'base64url'))).toBe(false);
    }
  });

  const good = formatApiKey(newUuid(), newSecret().secret);
  it.each([
    '',
    'iss',
    'iss__',
    good.slice(1),
    good.slice(0, -1),
    `${good}A`,
    ` ${good}`,
    `${good}\n`,
    `${good}, ${good}`,
    good.replace('iss_', 'key_'),
    good.replace('iss_', 'ISS_'),
    `iss_${'z'.repeat(26)}_${'A'.repeat(43)}`,
    `iss_${'0'.repeat(25)}u_${'A'.repeat(43)}`,
    `iss_${'0'.repeat(26)}_${'!'.repeat(43)}`,
    'x'.repeat(100_000),
  ])('is none if it is written %.60s', (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });
});

describe('sameText', () => {
  it('tells equal texts from others, of any length', () => {
    expect(sameText('operator', 'operator')).toBe(true);
    for (const other of ['', 'operato', 'operator ', 'Operator', 'x'.repeat(1000)]) {
      expect(sameText('operator', other)).toBe(false);
    }
  });
});
