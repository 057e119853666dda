import { expect, it } from '@jest/globals';
import { allowedOf, changedFields, lastCompletedBefore, recordValues } from './describe-plan.js';

it.each([
  [{}, undefined],
  [{ max_percent: 20 }, 'Allowed: 20 %'],
  [{ max_percent: 20, max_records: 2 }, 'Allowed: 20 % or 2 records, whichever is more'],
  [{ max_percent: 10, max_records: 1 }, 'Allowed: 10 % or 1 record, whichever is more'],
  [{ max_percent: 0, max_records: 0 }, 'Allowed: none'],
])('says what the bound %j allows: %s', (bound, words) => {
  expect(allowedOf(bound)).toBe(words);
});

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

const at = (minute: number) => `2026-11-24T10:${String(minute).padStart(2, '0')}:00.000Z`;
const run = (minute: number, status: string, dry_run = false) => ({
  created_at: at(minute),
  completed_at: at(minute + 1),
  status,
  dry_run,
});

it('takes the newest run that completed before the held one, and no dry run', () => {
  const runs = [run(40, 'completed'), run(20, 'failed'), run(15, 'completed', true), run(10, 'completed_with_errors')];
  expect(lastCompletedBefore(runs, at(30))).toBe(at(11));
  expect(lastCompletedBefore(runs, at(5))).toBeUndefined();
});

it('names the settings that an audit entry changed', () => {
  const before = { name: 'HR', priority: 10, config: { path: 'a.csv', fields: { id: 'x' } } };
  const after = { ...before, set: ['config'], config: { path: 'b.csv', fields: { id: 'x' } } };
  expect(changedFields({ before, after })).toEqual(['path']);
  expect(changedFields({})).toEqual([]);
});
