import type { CorrelationKey } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { followPeople, type Holder } from './follow-people.js';
import { keyText } from './record-keys.js';

const number: CorrelationKey = { kind: 'employee_number', value: '7' };
const email: CorrelationKey = { kind: 'email', value: 'ann@x.org' };
const principal: CorrelationKey = { kind: 'user_principal_name', value: 'ann' };

const holder = (identityId: string, ...numbers: string[]): Holder => ({ identityId, numbers: new Set(numbers) });
const holders = (...entries: [CorrelationKey, ...Holder[]][]) =>
  new Map(entries.map(([key, ...held]) => [keyText(key), held]));

describe('the identity of an account or machine', () => {
  it('is the only holder of its strongest key', () => {
    const held = holders([number, holder('I')], [email, holder('J')]);
    expect(followPeople({ keys: [number, email] }, held)).toEqual({ identityId: 'I', waitsFor: [] });
  });

  it('is the holder of a weaker key if no person has the stronger one, which it then waits for', () => {
    const held = holders([email, holder('J')]);
    expect(followPeople({ keys: [number, email] }, held)).toEqual({ identityId: 'J', waitsFor: [number] });
  });

  it('is absent if no person has any of its keys, and it waits for all of them', () => {
    expect(followPeople({ keys: [number, email] }, new Map())).toEqual({ waitsFor: [number, email] });
    expect(followPeople({ keys: [] }, new Map())).toEqual({ waitsFor: [] });
  });

  it('is never a person with another employee number', () => {
    const held = holders([email, holder('J', '8')]);
    expect(followPeople({ keys: [number, email] }, held)).toEqual({ waitsFor: [number, email] });
    expect(followPeople({ keys: [email] }, held)).toEqual({ identityId: 'J', waitsFor: [] });
  });

  it('is the one person with its employee number among the holders of a shared key', () => {
    const held = holders([email, holder('I', '7'), holder('J', '8')]);
    expect(followPeople({ keys: [number, email] }, held).identityId).toBe('I');
  });

  it('may be a person without an employee number', () => {
    const held = holders([email, holder('I'), holder('J', '8')]);
    expect(followPeople({ keys: [number, email] }, held).identityId).toBe('I');
  });

  it('is found once if several records of one person hold the key', () => {
    const held = holders([email, holder('I'), holder('I')]);
    expect(followPeople({ keys: [email] }, held)).toEqual({ identityId: 'I', waitsFor: [] });
  });

  it('is disputed by the strongest key with several holders if no key decides', () => {
    const held = holders([email, holder('I'), holder('J')], [principal, holder('J'), holder('K')]);
    expect(followPeople({ keys: [email, principal] }, held)).toEqual({
      waitsFor: [email, principal],
      dispute: { key: email, candidates: ['I', 'J'] },
    });
  });

  it('is not disputed if a weaker key has one holder', () => {
    const held = holders([email, holder('I'), holder('J')], [principal, holder('J')]);
    expect(followPeople({ keys: [email, principal] }, held)).toEqual({ identityId: 'J', waitsFor: [email] });
  });
});
