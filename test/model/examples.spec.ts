import { describe, expect, it } from '@jest/globals';
import { displayNamesOf } from './attributes.js';
import { Cases } from './cases.js';
import { Directory } from './directory.js';
import { Erasures } from './erasures.js';
import { statusOfPerson } from './lifecycle.js';
import { Operations } from './operations.js';
import { Runs } from './runs.js';
import type { Fields, Row, Safeguard, Source } from './types.js';

const most = { percent: 10, records: 20 };
const additions = { percent: 20, records: 20 };
const safeguard: Safeguard = {
  deleted: most,
  disabled: most,
  enabled: most,
  reused: { percent: 0, records: 0 },
  countsTheDay: true,
  created: additions,
  changed: additions,
  rekeyed: { percent: 10, records: 5 },
  changedFields: ['employee_number', 'email', 'first_name', 'last_name', 'display_name', 'hire_date'],
};
const hr: Source = { name: 'HR', kind: 'user', priority: 10, employments: false, safeguard };
const ad: Source = { name: 'AD', kind: 'user', priority: 20, employments: false, safeguard };
const logins: Source = { name: 'Logins', kind: 'account', priority: 20, employments: false, safeguard };

/** The model of a new tenant, and complete runs of its sources. */
function company() {
  const directory = new Directory([hr, ad, logins], '2026-11-23');
  const cases = new Cases();
  const erasures = new Erasures();
  const runs = new Runs(directory, cases, erasures);
  const operations = new Operations(directory, runs, cases, erasures);
  let round = 0;
  const nextRound = () => {
    round += 1;
    return round;
  };
  return {
    directory,
    operations,
    runs,
    nextRound,
    /** `taking`: ids of the rows that idsync sets aside because they take access. */
    list(source: Source, rows: Readonly<Record<string, Fields>>, taking: readonly string[] = []) {
      const listed: Row[] = Object.entries(rows).map(([id, fields]) => ({ id, fields }));
      const names = [...directory.entries.keys(), ...listed.map(({ id }) => `${source.name} ${id}`)];
      const reading = { rows: listed, removed: [], since: undefined, end: undefined, isComplete: true };
      return runs.run(nextRound(), source, reading, {
        created: [...new Set(names)],
        aside: new Set(taking),
        given: new Set(),
      });
    },
    people: () => directory.people().map((entries) => entries.map(({ name }) => name).join(' + ')),
    reviews: () => cases.open().map(({ entry }) => entry.name),
  };
}

const ann = { first_name: 'Ann', last_name: 'Lee', email: 'ann@example.org' };

describe('the model', () => {
  it('links the logins of the example of two files', () => {
    const { list, people, directory } = company();
    list(hr, {
      1: { employee_number: '1', first_name: 'Ada', last_name: 'Holm', email: 'ada.holm@acme.example' },
      2: { employee_number: '2', first_name: 'Bo', last_name: 'Lind', email: 'bo.lind@acme.example' },
      3: { employee_number: '3', first_name: 'Cleo', last_name: 'Marsh', email: 'cleo.marsh@acme.example' },
    });
    list(logins, {
      aholm: { display_name: 'Ada Holm', employee_number: '1' },
      blind: { display_name: 'Bo Lind', email: 'bo.lind@acme.example' },
      cmarsh: { display_name: 'Cleo Marsh' },
      backup: { display_name: 'Backup Job' },
    });
    expect(people()).toEqual(['HR 1 + Logins aholm', 'HR 2 + Logins blind', 'HR 3']);
    expect(directory.entries.get('Logins backup')?.person).toBeUndefined();
  });

  it('shows the primary one of several employments', () => {
    const { list, directory } = company();
    list(hr, {
      1001: { employee_number: '17', status: 'inactive', hire_date: '2019-01-01', display_name: 'Intern' },
      2044: { employee_number: '17', status: 'active', hire_date: '2024-03-01', display_name: 'Engineer' },
    });
    const [person = []] = directory.people();
    expect([person.length, statusOfPerson(person), displayNamesOf(person)]).toEqual([2, 'active', ['Engineer']]);
  });

  it.each([
    ['the old external id', '1', ann, ['HR 1'], []],
    ['the same employee number', '2', { ...ann, employee_number: '7' }, ['HR 1 + HR 2'], []],
    ['no employee number and the same name', '2', ann, ['HR 1', 'HR 2'], ['HR 2']],
    ['another employee number', '2', { ...ann, employee_number: '8' }, ['HR 1', 'HR 2'], ['HR 2']],
    ['another name', '2', { ...ann, first_name: 'Zoe', last_name: 'Berg' }, ['HR 1', 'HR 2'], []],
  ])('gives the address of a leaver to a new row with %s as documented', (_, id, row, expected, reviews) => {
    const company1 = company();
    company1.list(hr, { 1: { ...ann, employee_number: '7' }, 9: {} });
    company1.list(hr, { 9: {} });
    company1.list(hr, { [id]: row, 9: {} });
    expect(company1.people().filter((names) => names !== 'HR 9')).toEqual(expected);
    expect(company1.reviews()).toEqual(reviews);
  });

  it('takes the status from the lifecycle authority, and none that gives access if that no longer lists a leaver', () => {
    const { list, directory } = company();
    const status = () => directory.people().map(statusOfPerson)[0];
    list(ad, { a: { employee_number: '1' } });
    list(hr, { 1: { employee_number: '1', status: 'inactive' }, 9: {} }, ['1']);
    expect(status()).toBe('inactive');
    list(hr, { 9: {} });
    expect(status()).toBe('inactive');
    list(ad, { a: { employee_number: '1', status: 'suspended' } });
    list(ad, { a: { employee_number: '1' } });
    expect(status()).toBe('active');
  });

  it('does not revive a leaver by an account that is parted from the deleted user, also after a merge and its revert', () => {
    const { list, directory, operations, nextRound } = company();
    list(hr, { 1: { employee_number: '1' }, 9: {} });
    list(logins, { a: { employee_number: '1' } });
    list(hr, { 9: {} });
    const [user, account] = ['HR 1', 'Logins a'].map((name) => directory.entries.get(name));
    const status = () => statusOfPerson(directory.of(account?.person ?? 0));
    const person = account?.person ?? 0;
    operations.split(nextRound(), person, user ? [user] : []);
    expect(status()).toBe('deleted');
    operations.merge(nextRound(), directory.entries.get('HR 9')?.person ?? 0, person);
    expect(status()).toBe('active');
    operations.revert(nextRound(), operations.all.at(-1) as never);
    expect([account?.person, status()]).toEqual([person, 'deleted']);
  });

  it('holds a run that deletes too much, and takes what a later run lists out of its plan', () => {
    const { list, runs, directory } = company();
    const rows = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`p${n}`, {}]));
    const first = (count: number) => Object.fromEntries(Object.entries(rows).slice(0, count));
    list(hr, rows);
    const held = list(hr, first(5));
    expect([held.status, held.plan.length]).toEqual(['quarantined', 25]);
    list(hr, { ...first(10), joiner: {} });
    expect(held.plan.length).toBe(20);
    runs.release(held, [...directory.entries.keys()]);
    expect([...directory.entries.values()].filter(({ status }) => status === 'deleted')).toHaveLength(20);
  });

  it('applies changed values of accounts at once, also if a run is held that enables too many', () => {
    const { list, directory } = company();
    const some = { percent: 0, records: 0 };
    const source: Source = { ...logins, safeguard: { ...safeguard, enabled: some } };
    list(source, { a: { employee_number: '1' }, b: { status: 'disabled' } });
    const held = list(source, { a: { employee_number: '2' }, b: {} });
    expect([held.status, held.plan.map(({ id }) => id)]).toEqual(['quarantined', ['b']]);
    expect(directory.entries.get('Logins a')?.fields.employee_number).toBe('2');
  });

  it('restores the people from before a merge on its revert', () => {
    const { list, people, operations, directory, nextRound } = company();
    list(hr, { 1: { employee_number: '1' }, 2: { employee_number: '2' } });
    list(logins, { a: { employee_number: '2' } });
    const [one = 0, other = 0] = directory.people().map(([entry]) => entry?.person);
    operations.merge(nextRound(), one, other);
    expect(people()).toEqual(['HR 1 + HR 2 + Logins a']);
    const [merge] = operations.all;
    expect(merge && operations.revert(nextRound(), merge)).toBe(true);
    expect(people()).toEqual(['HR 1', 'HR 2 + Logins a']);
  });

  it('holds a run that changes a field of most records of a small source', () => {
    const { list, directory } = company();
    const rows = (shift: number) =>
      Object.fromEntries(
        ['Ann', 'Bo', 'Cy', 'Dee', 'Eva', 'Finn'].map((first_name, n) => [
          n,
          { first_name, employee_number: `${10 + n + shift}` },
        ]),
      );
    list(hr, rows(0));
    list(hr, rows(1));
    expect(directory.entries.get('HR 0')?.fields).toMatchObject({ employee_number: '10' });
  });

  it.each([
    ['clears a field', {}, { employee_number: '' }],
    ['enables', { status: 'inactive' }, {}],
  ])('holds a run that %s of more than a quarter of a small source', (_, before, after) => {
    for (const [count, expected] of [
      [6, 'completed'],
      [7, 'quarantined'],
    ] as const) {
      const { list } = company();
      const rows = (values: Fields): Record<string, Fields> =>
        Object.fromEntries(
          Array.from({ length: 24 }, (_each, n) => [n, { employee_number: `${10 + n}`, ...(n < count && values) }]),
        );
      list(hr, rows(before));
      expect(list(hr, rows(after)).status).toBe(expected);
    }
  });

  it('holds a run that lists another person under a known id, also without numbers', () => {
    const { list, directory } = company();
    list(hr, { 1: ann, 2: { first_name: 'Bo', last_name: 'Lind' } });
    list(hr, {
      1: { first_name: 'Karl', last_name: 'Berg', email: 'karl@example.org' },
      2: { first_name: 'Bo', last_name: 'Lind' },
    });
    expect(directory.entries.get('HR 1')?.fields).toEqual(ann);
  });
});
