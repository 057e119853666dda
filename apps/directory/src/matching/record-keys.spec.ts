import { describe, expect, it } from '@jest/globals';
import { storedRecord } from '../../test/stored-record.js';
import { activeKeys, formerKeys, type KeyRules, normaliseText, permanentKeys } from './record-keys.js';

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
