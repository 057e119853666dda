import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decrypt, encrypt, keyPrefix } from './secret-box.js';

const key = randomBytes(32);
const secret = 'whsec_dGhlIHNlY3JldA==';

describe('an encrypted secret', () => {
  it('is decrypted with its key and context, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, context) => {
        expect(decrypt(encrypt(text, key, context), [key], context)).toBe(text);
      }),
    );
  });

  it('hides its text, and differs on each encryption', () => {
    const encrypted = encrypt(secret, key, 'tenant');
    expect(encrypted.toString('latin1')).not.toContain(secret);
    expect(encrypt(secret, key, 'tenant').equals(encrypted)).toBe(false);
  });

  it('cannot be decrypted for another tenant', () => {
    expect(() => decrypt(encrypt(secret, key, 'tenant'), [key], 'another tenant')).toThrow();
    expect(() => decrypt(encrypt(secret, key, 'tenant'), [key], '')).toThrow();
  });

  it('is decrypted during key rotation with the key that encrypted it, at any position', () => {
    const next = randomBytes(32);
    expect(decrypt(encrypt(secret, key, 'tenant'), [next, key], 'tenant')).toBe(secret);
    expect(decrypt(encrypt(secret, next, 'tenant'), [next, key], 'tenant')).toBe(secret);
    expect(() => decrypt(encrypt(secret, key, 'tenant'), [next], 'tenant')).toThrow('encrypted with another key');
    expect(() => decrypt(encrypt(secret, key, 'tenant'), [], 'tenant')).toThrow('encrypted with another key');
  });

  it('begins with the prefix of its key, which differs between keys', () => {
    const encrypted = encrypt(secret, key, 'tenant');
    expect(encrypted.subarray(0, keyPrefix(key).length)).toEqual(keyPrefix(key));
    expect(keyPrefix(randomBytes(32))).not.toEqual(keyPrefix(key));
  });

  it('cannot be decrypted if a byte was changed', () => {
    const encrypted = encrypt(secret, key, 'tenant');
    for (let at = 0; at < encrypted.length; at += 1) {
      const changed = Buffer.from(encrypted);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => decrypt(changed, [key], 'tenant')).toThrow();
    }
  });

  it('cannot be decrypted if it was truncated or is empty', () => {
    const encrypted = encrypt(secret, key, 'tenant');
    for (let length = 0; length < encrypted.length; length += 1) {
      expect(() => decrypt(encrypted.subarray(0, length), [key], 'tenant')).toThrow();
    }
  });
});
