import { describe, expect, it } from '@jest/globals';
import { apartWords, meanwhileOf, questionOf, recordName } from './describe-case.js';
import { healthOf, hostOf } from './describe-webhook.js';
import { describeLink } from './words.js';

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

const healthy = { active: true, breaker: { state: 'closed' }, dead: { count: 0 }, failures: 0 };

describe('the health of a webhook in the console', () => {
  it('is healthy without failures', () => {
    expect(healthOf(healthy)).toEqual({ tone: 'ok', word: 'Healthy' });
  });

  it('names why it was switched off, and what helps', () => {
    const { word, reason } = healthOf({
      ...healthy,
      active: false,
      disabled_at: 'x',
      disabled_reason: 'It answered 410.',
    });
    expect(word).toBe('Switched off');
    expect(reason).toContain('It answered 410.');
    expect(reason).toContain('requeue');
  });

  it('distinguishes an inactive webhook from one that was switched off', () => {
    expect(healthOf({ ...healthy, active: false }).word).toBe('Inactive');
  });

  it('shows an open breaker before dead deliveries, and those before failures', () => {
    const failing = { ...healthy, failures: 3 };
    expect(healthOf(failing).word).toBe('Fails');
    expect(healthOf({ ...failing, dead: { count: 1 } }).word).toBe('Has dead deliveries');
    expect(healthOf({ ...failing, dead: { count: 1 }, breaker: { state: 'open' } }).word).toBe('Does not answer');
  });

  it('says that a webhook does not answer also while one attempt is allowed', () => {
    const { word, reason } = healthOf({ ...healthy, failures: 12, breaker: { state: 'half_open' } });
    expect(word).toBe('Does not answer');
    expect(reason).toContain('12 attempts failed in a row');
  });

  it('shows the host of an address, and text that is no address as it is', () => {
    expect(hostOf('https://hooks.example:8443/in?x=1')).toBe('hooks.example:8443');
    expect(hostOf('nonsense')).toBe('nonsense');
  });
});
