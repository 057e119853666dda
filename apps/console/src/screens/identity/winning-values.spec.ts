import { expect, it } from '@jest/globals';
import type { Identity } from '../../data/api';
import { changesBetween, winningValues } from './winning-values.js';

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
