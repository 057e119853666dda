import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;

const trusting: MatchingRules = {
  ...defaultMatchingRules,
  weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' })),
};

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  const hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  const ad = await directory.fixture.connector(directory.tenant, { priority: 20 });
  const logins = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'account' });
  await directory.operate('rules.change', { rules: trusting, preview: false });
  await directory.sync(hr, [row('hr', { first_name: 'Ann', last_name: 'Lee', email: 'ann@x.org' })]);
  await directory.sync(ad, [row('ad', { display_name: 'Ann Lee' })]);
  await directory.sync(logins, [row('login', { display_name: 'Ann Lee' })]);
  expect(await directory.people()).toEqual([['ad', 'hr', 'login']]);
});

afterAll(() => directory?.close());

const change = async (rules: MatchingRules, preview: boolean) =>
  (await directory.operate('rules.change', { rules, preview })).result;

async function state(): Promise<unknown> {
  const events = await directory.fixture.rows('select count(*) from events where tenant_id = $1', [directory.tenant]);
  const links = await directory.fixture.rows(
    `select external_id, identity_id, evidence ->> 'kind' as kind, evidence -> 'values' as "values"
       from source_records where tenant_id = $1 order by external_id`,
    [directory.tenant],
  );
  return { events, links };
}

/** Ids of identities that a preview would create are others in the change. */
const counts = (result: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, Array.isArray(value) ? value.length : value]),
  );

describe('new rules', () => {
  it('keep links by a fuzzy rule that still links the records, without an event', async () => {
    const before = await state();
    const result = await change(trusting, false);
    expect(await state()).toEqual(before);
    expect(result).toMatchObject({ records_moved: 0, accounts_moved: 0, identities_parted: 0 });
  });

  it('link an account by a key that they add, instead of by a fuzzy rule that still links it', async () => {
    const login = 'user_principal_name';
    await change({ ...trusting, certain: trusting.certain.filter((kind) => kind !== login) }, false);
    const payroll = await directory.fixture.connector(directory.tenant, { priority: 40 });
    const admins = await directory.fixture.connector(directory.tenant, { priority: 50, records: 'account' });
    await directory.sync(payroll, [row('bo', { display_name: 'Bo Berg', [login]: 'bo@x.org' })]);
    await directory.sync(admins, [row('admin', { display_name: 'Ann Lee', [login]: 'bo@x.org' })]);
    expect(await directory.people()).toEqual([['ad', 'admin', 'hr', 'login'], ['bo']]);
    await change(trusting, false);
    expect(await directory.people()).toEqual([
      ['ad', 'hr', 'login'],
      ['admin', 'bo'],
    ]);
  });

  it('part what no rule links any longer, and open the cases of the fuzzy rules', async () => {
    const result = await change(defaultMatchingRules, false);
    expect(await directory.people()).toEqual([['ad'], ['hr']]);
    expect(result).toMatchObject({ accounts_moved: 1, identities_parted: 1, cases_opened: 2, records_not_compared: 0 });
  });

  it.each([
    ['the same', trusting],
    ['weaker', defaultMatchingRules],
    ['no', { ...trusting, weak: [] }],
  ])('have the result of their preview for %s fuzzy rules', async (_, rules) => {
    const before = await state();
    const preview = counts(await change(rules, true));
    expect(await state()).toEqual(before);
    expect(counts(await change(rules, false))).toEqual(preview);
  });
});
