import { describe, expect, it } from '@jest/globals';
import { misfitOf, withoutUnsupported } from './corrected-numbers.js';

const user = (recordId: string, number: string | undefined, more: { name?: string; email?: string } = {}) => ({
  recordId,
  keys: [
    ...(number === undefined ? [] : [{ kind: 'employee_number' as const, value: number }]),
    ...(more.email === undefined ? [] : [{ kind: 'email' as const, value: more.email }]),
  ],
  name: more.name?.toLowerCase().split(' ') ?? [],
  gone: false,
  linkStrength: 'kept',
});
const gone = (recordId: string, number: string) => ({ ...user(recordId, number), gone: true });
const manual = (recordId: string, number: string) => ({ ...user(recordId, number), linkStrength: 'manual' });
const parts = (...members: ReturnType<typeof user>[]) =>
  withoutUnsupported(members).map((part) => part.map(({ recordId }) => recordId));

describe('records of one identity with contradicting numbers', () => {
  it('are separated if nothing else connects them', () => {
    expect(parts(user('a', '17', { name: 'Ann Lee' }), user('b', '18', { name: 'Bo Lee' }))).toEqual([['a'], ['b']]);
  });

  it('stay together with a common address, with a common name, or if an operator has linked them', () => {
    expect(parts(user('a', '17', { email: 'x@x.org' }), user('b', '18', { email: 'x@x.org' }))).toEqual([['a', 'b']]);
    expect(parts(user('a', '17', { name: 'Ann Lee' }), user('b', '18', { name: 'Ann Berg' }))).toEqual([['a', 'b']]);
    expect(parts(manual('a', '17'), manual('b', '18'))).toEqual([['a', 'b']]);
  });

  it('keep a record without a number, and a deleted one, with the oldest', () => {
    expect(parts(user('a', '17'), user('b', '18'), user('c', undefined), gone('d', '19'))).toEqual([
      ['a', 'c', 'd'],
      ['b'],
    ]);
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

  it('is none without a contradiction, of a deleted record, or if an operator has linked both numbers', () => {
    expect(misfitOf([user('a', '17')])).toBeUndefined();
    expect(misfitOf([user('a', '17'), user('b', undefined)])).toBeUndefined();
    expect(misfitOf([user('a', '17'), gone('b', '18')])).toBeUndefined();
    expect(misfitOf([manual('a', '17'), manual('b', '18'), user('c', '18')])).toBeUndefined();
  });
});
