import { describe, expect, it } from '@jest/globals';
import { misfitOf, type Person, withoutUnsupported } from './cluster.js';

type More = { name?: string; email?: string; badge?: string };
const user = (recordId: string, number: string | undefined, more: More = {}): Person => ({
  recordId,
  connectorId: recordId,
  status: 'active',
  statusRank: 1,
  isEmployment: false,
  formerKeys: [],
  keys: [
    ...(number === undefined ? [] : [{ kind: 'employee_number' as const, value: number }]),
    ...(more.badge === undefined
      ? []
      : [{ kind: 'attributes.badge' as const, value: more.badge, permanent: true as const }]),
    ...(more.email === undefined ? [] : [{ kind: 'email' as const, value: more.email }]),
  ],
  name: more.name?.toLowerCase().split(' ') ?? [],
  gone: false,
  linkStrength: 'kept',
});
const gone = (recordId: string, number: string) => ({ ...user(recordId, number), gone: true });
const manual = (recordId: string, number: string | undefined): Person => ({
  ...user(recordId, number),
  linkStrength: 'manual',
});
const parts = (...members: Person[]) => withoutUnsupported(members).map((part) => part.map(({ recordId }) => recordId));

describe('records of one identity with contradicting numbers', () => {
  it('are separated if nothing else connects them', () => {
    expect(parts(user('a', '17', { name: 'Ann Lee' }), user('b', '18', { name: 'Bo Lee' }))).toEqual([['a'], ['b']]);
  });

  it('stay together with a common address, with a common name, or if an operator has linked them', () => {
    expect(parts(user('a', '17', { email: 'x@x.org' }), user('b', '18', { email: 'x@x.org' }))).toEqual([['a', 'b']]);
    expect(parts(user('a', '17', { name: 'Ann Lee' }), user('b', '18', { name: 'Ann Berg' }))).toEqual([['a', 'b']]);
    expect(parts(manual('a', '17'), manual('b', '18'))).toEqual([['a', 'b']]);
  });

  it('are separated if an operator has linked only one of them', () => {
    expect(parts(manual('a', '17'), user('b', '18'))).toEqual([['a'], ['b']]);
    expect(parts(user('a', '17'), manual('b', '18'))).toEqual([['a'], ['b']]);
  });

  it('are separated by one number, also if another one does not contradict', () => {
    expect(parts(user('a', '17', { badge: '5' }), user('b', '18'))).toEqual([['a'], ['b']]);
  });

  it('stay together if a third record connects them', () => {
    const third = user('b', '18', { email: 'x@x.org', name: 'Ann Lee' });
    expect(parts(user('a', '17', { email: 'x@x.org' }), third, user('c', '19', { name: 'Ann Berg' }))).toEqual([
      ['a', 'b', 'c'],
    ]);
  });

  it('keep a record without a number, and a deleted one, with the oldest', () => {
    expect(parts(user('a', '17'), user('b', '18'), user('c', undefined), gone('d', '19'))).toEqual([
      ['a', 'c', 'd'],
      ['b'],
    ]);
  });

  it('keep a deleted record that is older than all present ones', () => {
    const [ann, married] = [user('b', '17', { name: 'Ann Lee' }), user('c', '18', { name: 'Ann Berg' })];
    expect(parts(gone('a', '16'), ann, married)).toEqual([['b', 'c', 'a']]);
  });

  it('stay in the order of the oldest if a deleted record is connected to a present one', () => {
    const left = { ...gone('a', '17'), name: ['ann', 'lee'] };
    const [ann, bo] = [user('b', '17', { name: 'Ann Lee' }), user('c', '18', { name: 'Bo Berg' })];
    expect(parts(left, ann, bo)).toEqual([['a', 'b'], ['c']]);
  });

  it('are not separated by the number of a deleted record', () => {
    expect(parts(gone('a', '17'), user('b', '18'))).toEqual([['a', 'b']]);
  });
});

describe('the record that needs a decision', () => {
  it('is the oldest one whose number contradicts the older ones', () => {
    expect(misfitOf([user('c', '18'), user('a', '17'), user('d', '18'), user('b', '17')])).toEqual({
      recordId: 'c',
      key: { kind: 'employee_number', value: '18' },
    });
  });

  it('is the one that contradicts the oldest, not one with the number of the oldest', () => {
    expect(misfitOf([user('a', '17'), user('b', '18'), user('c', '17')])).toMatchObject({ recordId: 'b' });
  });

  it('is the oldest of those that a later record connects', () => {
    const others = [user('b', '18'), user('c', undefined, { badge: '5' }), user('d', '18')];
    expect(misfitOf([user('a', '17'), ...others, user('e', '18', { badge: '5' })])).toMatchObject({ recordId: 'b' });
  });

  it('is reported with the key that contradicts, whichever other key is common', () => {
    const key = { kind: 'attributes.badge', value: '6', permanent: true };
    const [one, other] = [user('a', '17', { badge: '5' }), user('b', '17', { badge: '6' })];
    expect(misfitOf([one, other])).toEqual({ recordId: 'b', key });
    const email = 'x@x.org';
    expect(misfitOf([user('a', '17', { email }), user('b', '18', { email })])).toMatchObject({ recordId: 'b' });
  });

  it('is no older one because of an address, nor one that does not contradict, nor a deleted one', () => {
    const email = 'x@x.org';
    const members = [
      user('a', '17', { email }),
      user('b', undefined, { badge: '6' }),
      user('d', undefined, { badge: '5', email }),
    ];
    expect(misfitOf(members)).toMatchObject({ recordId: 'd' });
    expect(misfitOf([user('a', '17'), gone('b', '19'), user('c', '18')])).toMatchObject({ recordId: 'c' });
  });

  it('is a record beside a manually linked one, if an operator has linked only one of the numbers', () => {
    expect(misfitOf([manual('a', '17'), user('b', '18')])).toMatchObject({ recordId: 'b' });
    expect(misfitOf([user('a', '17'), manual('b', '18'), user('c', '18')])).toMatchObject({ recordId: 'c' });
    const unnumbered = manual('a', undefined);
    expect(misfitOf([unnumbered, user('b', '17'), manual('c', '18'), user('d', '18')])).toMatchObject({
      recordId: 'd',
    });
    expect(misfitOf([manual('a', '17'), user('b', '17'), manual('c', '18'), user('d', '18')])).toBeUndefined();
    expect(misfitOf([user('a', '17'), manual('b', '18')])).toBeUndefined();
  });

  it('is none without a contradiction, of a deleted record, or if an operator has linked both numbers', () => {
    expect(misfitOf([user('a', '17')])).toBeUndefined();
    expect(misfitOf([user('a', '17'), user('b', undefined)])).toBeUndefined();
    expect(misfitOf([user('a', '17'), gone('b', '18')])).toBeUndefined();
    expect(misfitOf([manual('a', '17'), manual('b', '18'), user('c', '18')])).toBeUndefined();
  });
});
