import { expect, it } from '@jest/globals';
import { describeLink } from './describe-link.js';

const at = '2026-11-24T12:00:00.000Z';

it('says in a sentence why a record belongs to an identity', () => {
  const evidence = { actor: 'matching', at };
  expect([
    describeLink({ linked: 'first' }),
    describeLink({ linked: 'keys', evidence: { ...evidence, kind: 'keys', rule: 'employee_number' } }),
    describeLink({
      linked: 'fuzzy',
      evidence: { ...evidence, kind: 'fuzzy', rule: 'Name and birthday', score: 0.934 },
    }),
    describeLink({ linked: 'operator', evidence: { kind: 'operator', actor: 'operator', at, reason: 'same person' } }),
    describeLink({ linked: 'from_the_future' }),
  ]).toEqual([
    'The first record of this identity: there was nothing to compare it with.',
    'Employee number is the same.',
    'Name and birthday fits with 93 %.',
    'An operator linked it: same person.',
    'It is not known why.',
  ]);
});
