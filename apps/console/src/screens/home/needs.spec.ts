import { expect, it } from '@jest/globals';
import type { ReviewCase } from '../../data/api';
import { needsOf } from './needs.js';

const review: ReviewCase = {
  id: 'cas_1',
  status: 'open',
  kind: 'weak',
  reason: 'same name',
  opened_at: '2026-11-24T12:00:00.000Z',
  record: {
    id: 'usr_1',
    kind: 'user',
    connector_id: 'con_1',
    external_id: 'A-12',
    identity_id: 'idn_1',
    document: { first_name: 'Zoë', last_name: 'Müller' },
  },
  candidates: [{ identity_id: 'idn_2', display_name: 'Zoe Muller', score: 1, evidence: [] }],
};
const quiet = { held: { data: [], total: 0 }, sources: [], findings: { data: [] }, webhooks: [], now: 0 };
const needOf = (data: ReviewCase[], total = data.length) =>
  needsOf({ ...quiet, cases: { data, total } }).map(({ title, detail, path }) => ({ title, detail, path }));

it('asks the question of a single case, and says how things are meanwhile', () => {
  expect(needOf([review])).toEqual([
    {
      title: 'Zoë Müller may be the same person as Zoe Muller',
      detail: 'Matching could not decide. They are separate people until you decide.',
      path: '/cases',
    },
  ]);
});

it('counts several cases, and is silent without one', () => {
  expect(needOf([review, review], 12)).toMatchObject([{ title: '12 cases need a decision' }]);
  expect(needOf([])).toEqual([]);
});
