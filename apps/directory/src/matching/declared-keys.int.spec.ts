import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;
let hr: string;
let ad: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
  ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
});

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));
afterAll(() => directory?.close());

const setRules = (parts: Partial<MatchingRules>, preview = false) =>
  directory.operate('rules.change', { rules: { ...defaultMatchingRules, ...parts }, preview });

const cases = async () => {
  const rows = await directory.fixture.rows<{ text: string }>(
    `select r.external_id || ': ' || c.reason as text
       from review_cases c join source_records r on r.id = c.record_id
      where c.tenant_id = $1 and c.status = 'open' order by 1`,
    [directory.tenant],
  );
  return rows.map(({ text }) => text);
};

const byBadge: Partial<MatchingRules> = {
  certain: ['employee_number', 'attributes.badge', 'email'],
  keys: [{ field: 'attributes.badge', normaliser: 'digits', strength: 'permanent' }],
};
const badge = (id: string, value: string, more: Record<string, string> = {}) =>
  row(id, { 'attributes.badge': value, ...more });

describe('an attribute that the rules declare as a match key', () => {
  it('joins stored records when the rules are set, as the preview says, and separates them when they are reverted', async () => {
    await directory.sync(hr, [badge('1', 'B-17'), badge('2', 'B-18')]);
    await directory.sync(ad, [badge('a', '17')]);
    expect((await setRules(byBadge, true)).result).toMatchObject({ identities_joined: 1 });
    expect(await directory.people()).toEqual([['1'], ['2'], ['a']]);
    await setRules(byBadge);
    expect(await directory.people()).toEqual([['1', 'a'], ['2']]);
    await setRules({});
    expect(await directory.people()).toEqual([['1'], ['2'], ['a']]);
  });

  it('links new users and accounts at once, in the notation of its normaliser', async () => {
    await setRules(byBadge);
    const apps = await directory.fixture.connector(directory.tenant, { name: 'App', priority: 30, records: 'account' });
    await directory.sync(apps, [badge('x', 'badge 17')]);
    await directory.sync(hr, [badge('1', 'B-17')]);
    await directory.sync(ad, [badge('a', '17')]);
    expect(await directory.people()).toEqual([['1', 'a', 'x']]);
  });

  it('that is permanent keeps two people apart who share an address, and asks about two numbers', async () => {
    await setRules(byBadge);
    await directory.sync(hr, [badge('1', '17', { email: 'lee@x.org', employee_number: '1' })]);
    await directory.sync(ad, [badge('a', '18', { email: 'lee@x.org' }), badge('b', '17', { employee_number: '2' })]);
    expect(await directory.people()).toEqual([['1'], ['a'], ['b']]);
    expect(await cases()).toEqual(['b: attributes.badge "17" belongs to a person with another permanent key']);
  });

  it('that is permanent recognises a person who returns, and one that is reusable asks', async () => {
    const returned = async (parts: Partial<MatchingRules>) => {
      await setRules(parts);
      await directory.sync(hr, [badge('1', '17', { status: 'inactive', display_name: 'Ann Lee' })]);
      await directory.sync(ad, [badge('a', '17', { display_name: 'Ann Lee' })]);
      return directory.people();
    };
    expect(await returned(byBadge)).toEqual([['1', 'a']]);
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
    ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
    expect(await returned({ ...byBadge, keys: [{ field: 'attributes.badge', normaliser: 'digits' }] })).toEqual([
      ['1'],
      ['a'],
    ]);
    expect(await cases()).toEqual(['a: attributes.badge "17" belongs to a person who has left']);
  });
});

describe('an employee number without leading zeros', () => {
  const rules: Partial<MatchingRules> = {
    keys: [{ field: 'employee_number', normaliser: 'number_without_zeros' }],
  };

  it('joins 0017 and 17, which are two people by default', async () => {
    await directory.sync(hr, [row('1', { employee_number: '0017' })]);
    await directory.sync(ad, [row('a', { employee_number: '17' })]);
    expect(await directory.people()).toEqual([['1'], ['a']]);
    await setRules(rules);
    expect(await directory.people()).toEqual([['1', 'a']]);
  });

  it.each(['17', '0017'])('is found by a machine that names its owner %s, whichever is read first', async (owner) => {
    await setRules(rules);
    const bots = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
    await directory.sync(bots, [row('before', { owned_by: owner })]);
    await directory.sync(hr, [row('1', { employee_number: '0017' })]);
    await directory.sync(bots, [row('before', { owned_by: owner }), row('after', { owned_by: owner })]);
    expect(await directory.people()).toEqual([['1', 'after', 'before']]);
  });
});

describe('a stop value of the tenant', () => {
  it('links nothing, and separates what it had joined when the rules are set', async () => {
    await directory.sync(hr, [
      row('1', { employee_number: '4711', email: 'a@x.org' }),
      row('2', { email: 'lobby@x.org' }),
    ]);
    await directory.sync(ad, [row('a', { employee_number: '4711' }), row('b', { email: 'lobby@x.org' })]);
    expect(await directory.people()).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
    const stop_values: MatchingRules['stop_values'] = [
      { field: 'employee_number', values: ['4711'] },
      { field: 'email', values: ['lobby'] },
    ];
    expect((await setRules({ stop_values }, true)).result).toMatchObject({ identities_parted: 2 });
    await setRules({ stop_values });
    expect(await directory.people()).toEqual([['1'], ['2'], ['a'], ['b']]);
  });

  it('is not compared by fuzzy rules', async () => {
    await setRules({ stop_values: [{ field: 'attributes.phone', values: ['+47 22 00 00 11'] }] });
    await directory.sync(hr, [row('1', { display_name: 'Ann Lee', 'attributes.phone': '22000011' })]);
    await directory.sync(ad, [row('a', { display_name: 'Bo Lind', 'attributes.phone': '+47 22000011' })]);
    expect(await cases()).toEqual([]);
  });
});
