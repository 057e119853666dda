import type { KeyKind, KeyNormaliser } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { storedRecord } from '../../test/stored-record.js';
import { normalisers } from './normalisers.js';
import {
  activeKeys,
  formerKeys,
  isListed,
  isPermanentKind,
  type KeyRules,
  keyValue,
  normaliseText,
  permanentKeys,
} from './record-keys.js';

const by = (...certain: KeyRules['certain']): KeyRules => ({ certain, keys: [], stop_values: [] });
const ann = { employee_number: ['7'], email: ['Ann@X.org'] };

describe('the match keys of a record', () => {
  it('are its normalised values in the order of the rules', () => {
    expect(activeKeys(storedRecord(1, { fields: ann }), by('email', 'employee_number'))).toEqual([
      { kind: 'email', value: 'ann@x.org' },
      { kind: 'employee_number', value: '7' },
    ]);
    expect(activeKeys(storedRecord(1, { fields: ann }), by('employee_number'))).toHaveLength(1);
  });

  it('are without values that identify no person', () => {
    const record = storedRecord(1, { fields: { employee_number: ['N/A'], email: ['ann@x.org'] } });
    expect(activeKeys(record, by('employee_number', 'email'))).toEqual([{ kind: 'email', value: 'ann@x.org' }]);
  });

  it.each(['deleted', 'decommissioned'] as const)('are the employee number only if the user is %s', (status) => {
    const user = storedRecord(1, { fields: ann, status });
    expect(activeKeys(user, by('employee_number', 'email'))).toEqual([{ kind: 'employee_number', value: '7' }]);
    expect(activeKeys({ ...user, kind: 'account' }, by('employee_number', 'email'))).toEqual([]);
  });

  const declared: KeyRules = {
    ...by('attributes.badge', 'attributes.national_id', 'email'),
    keys: [
      { field: 'attributes.badge', normaliser: 'case' },
      { field: 'attributes.national_id', normaliser: 'digits', strength: 'permanent' },
    ],
  };
  const fields = { 'attributes.badge': ['B2', 'b1', 'B1'], 'attributes.national_id': ['12-3'], ...ann };

  it('are all values of a declared attribute, once each and sorted', () => {
    const badges = ['b1', 'b2'].map((value) => ({ kind: 'attributes.badge', value }));
    const id = { kind: 'attributes.national_id', value: '123', permanent: true };
    expect(activeKeys(storedRecord(1, { fields }), declared)).toEqual([
      ...badges,
      id,
      { kind: 'email', value: 'ann@x.org' },
    ]);
    const many = Array.from({ length: 30 }, (_, at) => `b${at + 100}`);
    const keys = activeKeys(storedRecord(1, { fields: { 'attributes.badge': many.reverse() } }), declared);
    expect(keys.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, at) => `b${at + 100}`));
  });

  it('are all email addresses, the first one and the others in any order', () => {
    const mails = { email: ['ann@x.org'], other_emails: ['lee@x.org', 'info@x.org', 'ANN@x.org', 'a.lee@x.org'] };
    const user = storedRecord(1, { fields: mails });
    const expected = ['ann@x.org', 'a.lee@x.org', 'lee@x.org'];
    expect(activeKeys(user, by('email')).map(({ value }) => value)).toEqual(expected);
    expect(formerKeys({ ...user, status: 'deleted' }, by('email')).map(({ value }) => value)).toEqual(expected);
    expect(activeKeys(user, by('user_principal_name'))).toEqual([]);
    const many = storedRecord(1, {
      fields: { ...mails, other_emails: Array.from({ length: 30 }, (_, at) => `m${at}@x.org`) },
    });
    expect(activeKeys(many, by('email'))).toHaveLength(20);
  });

  it('are its permanent keys if the user is deleted, who gives up the others', () => {
    const user = storedRecord(1, { fields, status: 'deleted' });
    expect(activeKeys(user, declared).map(({ kind }) => kind)).toEqual(['attributes.national_id']);
    expect(formerKeys(user, declared).map(({ value }) => value)).toEqual(['b1', 'b2', 'ann@x.org']);
    expect(formerKeys({ ...user, status: 'active' }, declared)).toEqual([]);
    expect(formerKeys({ ...user, kind: 'account' }, declared)).toEqual([]);
  });

  it('are permanent for the employee number, also if it is no match key, and for declared attributes', () => {
    expect(permanentKeys(fields, declared).map(({ kind, value }) => [kind, value])).toEqual([
      ['employee_number', '7'],
      ['attributes.national_id', '123'],
    ]);
  });

  it('have at most 512 characters, and longer values are none', () => {
    expect(normaliseText('a'.repeat(512))).toHaveLength(512);
    expect(normaliseText('a'.repeat(513))).toBeUndefined();
    expect(normaliseText(` ${'a'.repeat(512)} `)).toHaveLength(512);
  });
});

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

describe('the normaliser of a match key', () => {
  it.each<[KeyNormaliser, string, string | undefined]>([
    ['exact', 'aB-1', 'aB-1'],
    ['case', 'aB-1', 'ab-1'],
    ['digits', 'ID 12-34', '1234'],
    ['digits', 'none', ''],
    ['alphanumeric', 'AB-12/ü.9', 'ab12ü9'],
    ['number_without_zeros', '00017', '17'],
    ['number_without_zeros', '0A7', 'a7'],
    ['number_without_zeros', '1700', '1700'],
    ['number_without_zeros', '0', '0'],
    ['number_without_zeros', '000', '0'],
    ['email', 'Ann@MÜLLER.de', 'ann@xn--mller-kva.de'],
    ['email', 'ann@xn--mller-kva.de', 'ann@xn--mller-kva.de'],
    ['email', 'Ann@X.org', 'ann@x.org'],
    ['email', 'Ann', 'ann'],
    ['email', '@', undefined],
    ['email', 'ann@x y', undefined],
    ['phone', '+49 (171) 123-4567', '711234567'],
    ['phone', '0171 1234567', '711234567'],
    ['phone', '123456', '123456'],
    ['phone', '12345', undefined],
  ])('%s makes %j to %j', (name, value, expected) => {
    expect(normalisers[name](value)).toBe(expected);
  });

  it.each(Object.keys(normalisers) as KeyNormaliser[])('%s leaves a normalised value unchanged', (name) => {
    for (const value of ['0017', 'Ann@MÜLLER.de', 'AB-12', '+49 171 1234567']) {
      const once = normalisers[name](value);
      expect(once === undefined || normalisers[name](once) === once).toBe(true);
    }
  });
});
