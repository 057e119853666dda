import { describe, expect, it } from '@jest/globals';
import type { Identity } from '../../data/api';
import { changesBetween, mergedValues, winningValues } from './winning-values.js';

describe('values after a merge', () => {
  type Value = [field: string, value: string, source: string, priority: number, at?: string];

  const person = (...values: Value[]): Pick<Identity, 'attributes'> => ({
    attributes: values.map(([field_name, field_value, source_id, priority, at = '2026-11-24T12:00:00.000Z']) => ({
      identity_id: 'idn_1',
      field_name,
      field_value,
      source_id,
      source_type: 'csv',
      priority,
      updated_at: at,
    })),
  });

  it('shows which value wins after a merge, differing fields first', () => {
    const hr = person(['last_name', 'Müller', 'hr', 10], ['title', 'Engineer', 'hr', 10]);
    const agency = person(
      ['last_name', 'Müller', 'agency', 30],
      ['title', 'Consultant', 'agency', 30],
      ['phone', '1', 'agency', 30],
    );
    expect(mergedValues(agency, hr)).toEqual([
      { field: 'title', own: 'Consultant', other: 'Engineer', merged: 'Engineer' },
      { field: 'phone', own: '1', other: undefined, merged: '1' },
      { field: 'last_name', own: 'Müller', other: 'Müller', merged: 'Müller' },
    ]);
  });

  it('takes the newer value at equal priority', () => {
    const earlier = person(['title', 'Engineer', 'hr', 10, '2026-11-01T12:00:00.000Z']);
    const later = person(['title', 'Lead', 'sales', 10, '2026-11-02T12:00:00.000Z']);
    expect(mergedValues(earlier, later)[0]?.merged).toBe('Lead');
    expect(mergedValues(later, earlier)[0]?.merged).toBe('Lead');
  });
});

describe('values of a person', () => {
  const at = '2026-11-24T12:00:00.000Z';

  function person(values: [field: string, value: string, source: string, priority: number][]): Identity {
    const attributes = values.map(([field_name, field_value, source_id, priority]) => ({
      identity_id: 'idn_1',
      field_name,
      field_value,
      source_id,
      source_type: 'csv',
      priority,
      updated_at: at,
    }));
    const empty = { users: [], accounts: [], machine_identities: [] };
    return { id: 'idn_1', status: 'active', created_at: at, updated_at: at, attributes, ...empty };
  }

  it('takes the values of the source that precedes, all of them if it lists several', () => {
    const values = winningValues(
      person([
        ['mails', 'b', 'ldap', 20],
        ['mails', 'c', 'ldap', 20],
        ['title', 'Lead', 'hr', 10],
        ['title', 'Engineer', 'ldap', 20],
      ]),
    );
    expect(values.map(({ field, values, sourceId }) => [field, values, sourceId])).toEqual([
      ['title', ['Lead'], 'hr'],
      ['mails', ['b', 'c'], 'ldap'],
    ]);
  });

  it('compares two moments of a person by field', () => {
    const earlier = person([
      ['title', 'Engineer', 'hr', 10],
      ['phone', '1', 'hr', 10],
    ]);
    const later = { ...person([['title', 'Lead', 'hr', 10]]), status: 'inactive' as const };
    expect(changesBetween(earlier, later)).toEqual([
      { field: 'phone', from: '1', to: undefined },
      { field: 'status', from: 'active', to: 'inactive' },
      { field: 'title', from: 'Engineer', to: 'Lead' },
    ]);
  });
});
