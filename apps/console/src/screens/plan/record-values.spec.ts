import { expect, it } from '@jest/globals';
import { recordValues } from './record-values.js';

const user = {
  id: 'usr_1',
  external_id: 'A-01',
  email: 'ann@x.org',
  status: 'active' as const,
  tenant_id: 'ten_1',
  created_at: '2026-11-24T12:00:00.000Z',
  updated_at: '2026-11-24T12:00:00.000Z',
  roles: [],
  groups: [],
  departments: ['Sales'],
};

it('lists the values of a record that its source gave', () => {
  const identity = { users: [user], accounts: [], machine_identities: [] };
  expect(recordValues(identity, 'usr_1')).toEqual([
    ['email', 'ann@x.org'],
    ['status', 'active'],
    ['departments', ['Sales']],
  ]);
  expect(recordValues(identity, 'usr_2')).toBeUndefined();
});
