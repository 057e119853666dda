import { expect, it } from '@jest/globals';
import { changedFields, lastCompletedBefore } from './source-change.js';

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
