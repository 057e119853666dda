import { describe, expect, it } from '@jest/globals';
import { apartWords, meanwhileOf, questionOf, recordName } from './describe-case.js';

const user = (identity?: string) => ({
  id: 'usr_1',
  kind: 'user',
  connector_id: 'con_1',
  external_id: '7',
  ...(identity && { identity_id: identity }),
  document: { first_name: 'Eva', last_name: 'Brandt' },
});
const account = (identity?: string) => ({ ...user(identity), id: 'acc_1', kind: 'account' });
const candidate = (id: string, display_name?: string) => ({
  identity_id: id,
  score: 1,
  evidence: [],
  ...(display_name && { display_name }),
});

it('names a record as its source does', () => {
  expect([recordName(user()), recordName({ ...user(), document: {} })]).toEqual(['Eva Brandt', '7']);
});

describe('a case', () => {
  it('of a record that is a person asks whether two people are one', () => {
    const review = { record: user('idn_1'), candidates: [candidate('idn_2', 'Eva Berg')] };
    expect(questionOf(review)).toBe('Eva Brandt may be the same person as Eva Berg');
    expect(meanwhileOf(review)).toBe('They are separate people until you decide.');
    expect(apartWords(review)).toEqual({ action: 'Keep apart', done: 'Kept apart' });
  });

  it('of a record that is a person counts several candidates', () => {
    const review = { record: user('idn_1'), candidates: [candidate('idn_2'), candidate('idn_3')] };
    expect(questionOf(review)).toBe('Eva Brandt may be the same person as one of 2 other people');
  });

  it('of an account without a person names the candidates', () => {
    const review = { record: account(), candidates: [candidate('idn_2', 'Eva Berg'), candidate('idn_3')] };
    expect(questionOf(review)).toBe('Account Eva Brandt may belong to one of 2 people');
    expect(questionOf({ ...review, candidates: review.candidates.slice(0, 1) })).toBe(
      'Account Eva Brandt may belong to Eva Berg',
    );
    expect(meanwhileOf(review)).toBe('It belongs to no person until you decide.');
    expect(apartWords(review)).toEqual({ action: 'New person', done: 'Made a new person' });
  });

  it('of a record whose present person is in doubt would make a new person', () => {
    const review = { record: user('idn_1'), candidates: [candidate('idn_1', 'Eva Brandt'), candidate('idn_2')] };
    expect(questionOf(review)).toBe('Record Eva Brandt may belong to another person');
    expect(meanwhileOf(review)).toBe('It stays with its present person until you decide.');
    expect(apartWords(review).action).toBe('New person');
  });
});
