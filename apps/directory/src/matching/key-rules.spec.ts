import type { KeyKind } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { isListed, isPermanentKind, type KeyRules, keyValue } from './record-keys.js';

const rules = (parts: Partial<KeyRules> = {}): KeyRules => ({
  certain: ['employee_number', 'email'],
  keys: [],
  stop_values: [],
  ...parts,
});
const key = (kind: KeyKind, value: string, parts?: Partial<KeyRules>) => keyValue(kind, value, rules(parts));

describe('the value of a match key', () => {
  it('ignores case and outer spaces unless the rules say otherwise', () => {
    expect(key('employee_number', ' A17 ')).toBe('a17');
    expect(key('employee_number', '0017')).toBe('0017');
    expect(key('attributes.badge', 'AB-1')).toBe('ab-1');
    expect(key('email', 'ann@MÜLLER.de')).toBe('ann@müller.de');
  });

  it('has the notation of its normaliser', () => {
    expect(
      key('employee_number', '0017', { keys: [{ field: 'employee_number', normaliser: 'number_without_zeros' }] }),
    ).toBe('17');
    expect(key('email', 'ann@MÜLLER.de', { keys: [{ field: 'email', normaliser: 'email' }] })).toBe(
      'ann@xn--mller-kva.de',
    );
    expect(key('attributes.badge', 'AB-1', { keys: [{ field: 'attributes.badge', normaliser: 'exact' }] })).toBe(
      'AB-1',
    );
  });

  it('is absent if the source has none, or one that is too long', () => {
    expect(keyValue('email', undefined, rules())).toBeUndefined();
    expect(key('attributes.badge', '  ')).toBeUndefined();
    expect(key('attributes.badge', 'a'.repeat(512))).toHaveLength(512);
    expect(key('attributes.badge', 'a'.repeat(513))).toBeUndefined();
    const digits = { keys: [{ field: 'attributes.badge' as const, normaliser: 'digits' as const }] };
    expect(key('attributes.badge', 'none at all', digits)).toBeUndefined();
  });

  it.each<[KeyKind, string, Partial<KeyRules>]>([
    ['employee_number', '0000', { keys: [{ field: 'employee_number', normaliser: 'number_without_zeros' }] }],
    ['employee_number', 'ID 0000', { keys: [{ field: 'employee_number', normaliser: 'digits' }] }],
    ['attributes.badge', 'n/a', {}],
    [
      'attributes.badge',
      'contractor',
      { keys: [{ field: 'attributes.badge', normaliser: 'case', strength: 'permanent' }] },
    ],
    ['attributes.mail', 'info@x.org', { keys: [{ field: 'attributes.mail', normaliser: 'email' }] }],
    ['attributes.mail', 'ann', { keys: [{ field: 'attributes.mail', normaliser: 'email' }] }],
  ])('is absent for a value of %s that identifies no person: %j', (kind, value, parts) => {
    expect(key(kind, value, parts)).toBeUndefined();
  });

  it.each(['contractor', 'info', 'ann lee'])('of a reusable attribute can be a word: %j', (value) => {
    expect(key('attributes.badge', value)).toBe(value);
  });
});

describe('a stop value of the tenant', () => {
  const stop = (field: KeyKind, ...values: string[]) => ({ stop_values: [{ field, values }] });

  it('is no match key in any notation, for its field only', () => {
    for (const value of ['ext-1', 'EXT-1 '])
      expect(key('employee_number', value, stop('employee_number', ' Ext-1'))).toBeUndefined();
    expect(key('employee_number', '1', stop('employee_number', 'EXT-1'))).toBe('1');
    expect(key('employee_number', '17', stop('employee_number', '0017'))).toBe('17');
    expect(key('employee_number', 'ext-2', stop('employee_number', 'Ext-1'))).toBe('ext-2');
    expect(key('attributes.badge', 'ext-1', stop('employee_number', 'Ext-1'))).toBe('ext-1');
    const keys = [{ field: 'employee_number' as const, normaliser: 'number_without_zeros' as const }];
    expect(key('employee_number', '0042', { keys, ...stop('employee_number', '42') })).toBeUndefined();
    expect(key('employee_number', '42', { keys, ...stop('employee_number', '0042') })).toBeUndefined();
  });

  it('is a mailbox in every domain, a domain, or one address', () => {
    const stops = stop('email', 'team', '@Shared.org', 'ann@x.org');
    for (const value of ['team@x.org', 'TEAM@y.org', 'bob@shared.org', 'ann@x.org']) {
      expect(key('email', value, stops)).toBeUndefined();
    }
    for (const value of ['team2@x.org', 'ann@y.org', 'bob@sub.shared.org'])
      expect(key('email', value, stops)).toBe(value);
  });

  it('is found in several lists of one field', () => {
    const stops = { stop_values: [...stop('email', 'a@x.org').stop_values, ...stop('email', 'b@x.org').stop_values] };
    expect(isListed('a@x.org', 'email', stops)).toBe(true);
    expect(isListed('b@x.org', 'email', stops)).toBe(true);
    expect(isListed('@x.org', 'email', stops)).toBe(false);
  });
});

describe('a permanent key', () => {
  it('is the employee number, and an attribute that the rules say so', () => {
    const { keys } = rules({
      keys: [
        { field: 'attributes.national_id', normaliser: 'digits', strength: 'permanent' },
        { field: 'attributes.badge', normaliser: 'case', strength: 'reusable' },
      ],
    });
    const kinds: KeyKind[] = ['employee_number', 'email', 'attributes.national_id', 'attributes.badge'];
    expect(kinds.filter((kind) => isPermanentKind(kind, { keys }))).toEqual([
      'employee_number',
      'attributes.national_id',
    ]);
  });
});
