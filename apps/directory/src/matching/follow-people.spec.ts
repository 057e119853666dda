import type { CorrelationKey } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { followPeople, foreignKeys, type Holder, linkedAccount, otherPerson } from './follow-people.js';
import { isSettled } from './neighbourhood.js';
import { keyText, numbersOf, type RecordKey } from './record-keys.js';

const number: CorrelationKey = { kind: 'employee_number', value: '7' };
const email: CorrelationKey = { kind: 'email', value: 'ann@x.org' };
const principal: CorrelationKey = { kind: 'user_principal_name', value: 'ann' };

const holder = (identityId: string, ...numbers: string[]): Holder => ({
  identityId,
  numbers: numbersOf(numbers.map((value) => ({ kind: 'employee_number', value }))),
});
const holders = (...entries: [CorrelationKey, ...Holder[]][]) =>
  new Map(entries.map(([key, ...held]) => [keyText(key), held]));

describe('the identity of an account or machine', () => {
  it('is the only holder of its strongest key', () => {
    const held = holders([number, holder('I')], [email, holder('J')]);
    expect(followPeople([number, email], held)).toEqual({ identityId: 'I', waitsFor: [] });
  });

  it('is the holder of a weaker key if no person has the stronger one, which it then waits for', () => {
    const held = holders([email, holder('J')]);
    expect(followPeople([number, email], held)).toEqual({ identityId: 'J', waitsFor: [number] });
  });

  it('is absent if no person has any of its keys, and it waits for all of them', () => {
    expect(followPeople([number, email], new Map())).toEqual({ waitsFor: [number, email] });
    expect(followPeople([], new Map())).toEqual({ waitsFor: [] });
  });

  it('is never a person with another employee number', () => {
    const held = holders([email, holder('J', '8')]);
    expect(followPeople([number, email], held)).toEqual({ waitsFor: [number, email] });
    expect(followPeople([email], held)).toEqual({ identityId: 'J', waitsFor: [] });
  });

  it('is the one person with its employee number among the holders of a shared key', () => {
    const held = holders([email, holder('I', '7'), holder('J', '8')]);
    expect(followPeople([number, email], held).identityId).toBe('I');
  });

  it('may be a person without an employee number', () => {
    const held = holders([email, holder('I'), holder('J', '8')]);
    expect(followPeople([number, email], held).identityId).toBe('I');
  });

  it('is found once if several records of one person hold the key', () => {
    const held = holders([email, holder('I'), holder('I')]);
    expect(followPeople([email], held)).toEqual({ identityId: 'I', waitsFor: [] });
  });

  it('is disputed by the strongest key with several holders if no key decides', () => {
    const held = holders([email, holder('I'), holder('J')], [principal, holder('J'), holder('K')]);
    expect(followPeople([email, principal], held)).toEqual({
      waitsFor: [email, principal],
      dispute: { key: email, candidates: ['I', 'J'] },
    });
  });

  const other: CorrelationKey = { kind: 'email', value: 'lee@x.org' };

  it('is the only holder of any value of a key, and it waits for the other values', () => {
    for (const keys of [
      [email, other],
      [other, email],
    ]) {
      expect(followPeople(keys, holders([other, holder('I')]))).toEqual({ identityId: 'I', waitsFor: [email] });
      const both = holders([email, holder('I')], [other, holder('I')]);
      expect(followPeople(keys, both)).toEqual({ identityId: 'I', waitsFor: [] });
    }
  });

  it('is disputed if two values of a key have different holders', () => {
    const held = holders([other, holder('J')], [email, holder('I')]);
    expect(followPeople([email, other], held)).toEqual({
      waitsFor: [email, other],
      dispute: { key: email, candidates: ['I', 'J'] },
    });
    expect(followPeople([number, email, other], new Map([...held, ...holders([number, holder('J')])]))).toEqual({
      identityId: 'J',
      waitsFor: [],
    });
  });

  it('is never a person with another value of a permanent attribute', () => {
    const badge = (value: string): RecordKey => ({ kind: 'attributes.badge', value, permanent: true });
    const held = holders([email, { identityId: 'I', numbers: numbersOf([badge('1')]) }]);
    expect(followPeople([badge('2'), email], held).identityId).toBeUndefined();
    expect(followPeople([badge('1'), email], held).identityId).toBe('I');
    expect(followPeople([{ ...badge('2'), permanent: undefined }, email], held).identityId).toBe('I');
  });

  it('is compared with the person who has a permanent key of the account', () => {
    const badge: RecordKey = { kind: 'attributes.badge', value: '1', permanent: true };
    const held = holders([badge, holder('J')], [email, holder('K')]);
    const other = (keys: RecordKey[], identityId: string, among = held) =>
      otherPerson(linkedAccount(identityId, keys, ['ann', 'lee'], [['ann', 'lee']]), among);
    expect(other([email, badge], 'I')).toEqual({ key: badge, candidates: ['J'] });
    expect(other([email, badge], 'J')).toBeUndefined();
    expect(other([number, badge], 'I')).toEqual({ key: badge, candidates: ['J'] });
    expect(other([email], 'I')).toBeUndefined();
    expect(other([badge], 'I', holders([badge, holder('J'), holder('K')]))).toBeUndefined();
  });

  it.each([
    ['whose address and name it has', ['bob', 'stone'], [['ann', 'lee']], true],
    ['whose name it has in another order', ['stone', 'bob'], [['ann', 'lee'], []], true],
    [
      'but not if the name of its own person is like it',
      ['bob', 'stone'],
      [
        ['ann', 'lee'],
        ['bob', 'lee'],
      ],
      false,
    ],
    ['but not if the name of its own person is unknown', ['bob', 'stone'], [[]], false],
    ['but not one with another name', ['bob', 'berg'], [['ann', 'lee']], false],
    ['but not by a single word', ['bob'], [['ann', 'lee']], false],
  ])('is compared with the person %s', (_, name, linkedTo, isOther) => {
    const held = holders([email, { ...holder('J'), names: [['bob', 'w', 'stone']] }]);
    const account = linkedAccount('I', [email], name, linkedTo);
    expect(otherPerson(account, held)).toEqual(isOther ? { key: email, candidates: ['J'] } : undefined);
  });

  it('is compared again when a number that its person does not have gets or loses a holder', () => {
    const badge: RecordKey = { kind: 'attributes.badge', value: '9', permanent: true };
    const held = holders([number, holder('J')], [badge, holder('I'), holder('J')]);
    const foreign = (name: string[], keys: RecordKey[], among = held) =>
      foreignKeys(linkedAccount('I', keys, name, [['ann', 'lee']]), among);
    expect(foreign(['ann', 'lee'], [number, email, badge])).toEqual([number]);
    expect(foreign(['ann', 'lee'], [number], new Map())).toEqual([number]);
    expect(foreign(['bob', 'stone'], [number, email, badge])).toEqual([number, email]);
  });

  it('is not disputed if a weaker key has one holder', () => {
    const held = holders([email, holder('I'), holder('J')], [principal, holder('J')]);
    expect(followPeople([email, principal], held)).toEqual({ identityId: 'J', waitsFor: [email] });
  });
});

const ofAnn = { identityId: uuid(100) };
const account = { kind: 'account', ...ofAnn } as const;
const machine = { kind: 'machine_identity', ...ofAnn } as const;

describe('the person of an account', () => {
  it('remains regardless of its keys, unless it is linked by its keys alone', () => {
    expect(isSettled(storedRecord(1, account), () => 'kept')).toBe(true);
    expect(isSettled(storedRecord(1, account), () => 'manual')).toBe(true);
    expect(isSettled(storedRecord(1, account), () => 'loose')).toBe(false);
  });

  it('remains after the account was deleted, although it has no keys', () => {
    expect(isSettled(storedRecord(1, { ...account, status: 'deleted' }), () => 'loose')).toBe(true);
  });

  it('is open while the account is not linked', () => {
    for (const status of ['active', 'deleted']) {
      expect(isSettled(storedRecord(1, { kind: 'account', status }), () => 'kept')).toBe(false);
    }
  });
});

describe('the owner of a machine', () => {
  it('remains regardless of its references only if it was linked manually', () => {
    expect(isSettled(storedRecord(1, { ...machine, decided: true }), () => 'manual')).toBe(true);
    expect(isSettled(storedRecord(1, machine), () => 'kept')).toBe(false);
    expect(isSettled(storedRecord(1, { ...machine, status: 'decommissioned' }), () => 'kept')).toBe(false);
  });
});
