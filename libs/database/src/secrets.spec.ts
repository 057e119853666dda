import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decrypt, encrypt, keyPrefix } from './secret-box.js';
import { suppressionHashes } from './suppression-hashes.js';

describe('an encrypted secret', () => {
  const key = randomBytes(32);
  const secret = 'whsec_dGhlIHNlY3JldA==';

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

describe('the hashes of an erased record', () => {
  const key = randomBytes(32);
  const connector = 'c1';

  const record = (external_id: string, fields: Record<string, string>) => ({
    external_id,
    fields: Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, [value]])),
  });

  const ann = record('7', {
    email: 'Ann@x.org ',
    employee_number: 'E7',
    first_name: 'Änn',
    last_name: 'Green',
  });

  const texts = (...[given, from, by]: [typeof ann, string?, Buffer?]) =>
    suppressionHashes(by ?? key, from ?? connector, given).map(({ hash }) => hash.toString('hex'));

  /** Returns how many hashes of a record are among those of Ann. */
  const common = (other: typeof ann, from?: string) =>
    texts(other, from).filter((hash) => texts(ann).includes(hash)).length;

  it('match the same record by its anchor, whatever its fields are', () => {
    expect(common(record('7', { first_name: 'Other' }))).toBe(1);
    expect(common(record('7', { first_name: 'Other' }), 'c2')).toBe(0);
  });

  it('match another record by a match key and the name, without case, accents and order', () => {
    expect(common(record('8', { email: 'ann@x.org', display_name: 'Green, Ann' }), 'c2')).toBe(1);
    expect(common(record('8', { employee_number: 'e7', first_name: 'Ann', last_name: 'GREEN' }), 'c2')).toBe(1);
    expect(common(record('8', { user_principal_name: 'ann@x.org', display_name: 'Ann Green' }))).toBe(1);
  });

  it('do not match the next holder of an address or number', () => {
    expect(common(record('8', { email: 'ann@x.org', employee_number: 'E7', display_name: 'Bob Black' }))).toBe(0);
    expect(common(record('8', { email: 'e7', display_name: 'Ann Green' }))).toBe(0);
  });

  it('are those of the display name, the first name or the last name if the record has no whole name', () => {
    const named = (fields: Record<string, string>) => texts(record('9', { email: 'a@x.org', ...fields }))[1];
    const [shown, first, last] = ['display_name', 'first_name', 'last_name'].map((field) => named({ [field]: 'Ann' }));
    expect(new Set([shown, first, last])).toEqual(new Set([shown]));
    expect(named({})).not.toBe(shown);
    expect(named({ display_name: 'Ann', first_name: 'Bob' })).toBe(shown);
  });

  it('depend on the key of the tenant', () => {
    expect(texts(ann, connector, randomBytes(32)).some((hash) => texts(ann).includes(hash))).toBe(false);
  });
});
