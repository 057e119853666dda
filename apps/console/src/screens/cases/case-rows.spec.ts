import { expect, it } from '@jest/globals';
import { rowsOf } from './case-rows.js';

it('lists the fields of all candidates, those that agree with one first', () => {
  const candidate = { identity_id: 'idn_1', score: 1, evidence: [] };
  const rows = rowsOf({
    candidates: [
      { ...candidate, compared: [{ field: 'last_name', value: 'Brandt', other: 'Berg', agrees: false }] },
      { ...candidate, compared: [{ field: 'employee_number', value: '7', other: '7', agrees: true }] },
    ],
  });
  expect(rows.map(({ field, value, others }) => [field, value, others.map(({ agrees }) => agrees)])).toEqual([
    ['employee_number', '7', [undefined, true]],
    ['last_name', 'Brandt', [false, undefined]],
  ]);
});
