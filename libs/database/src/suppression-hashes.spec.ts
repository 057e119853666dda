import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { suppressionHashes } from './suppression-hashes.js';

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

describe('the hashes of an erased record', () => {
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
