import { defaultMatchingRules, type MatchingRules, type RecordKind } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(() => directory.newTenant());

afterAll(() => directory?.close());

const stopValues = {
  employee_number: ['N/A', 'n.a.', 'none', '0000', '0', '9999', '-', 'External'],
  email: ['N/A', 'info@x.org', 'Office@x.org', 'no-reply@x.org', 'not an email', 'none@none.org'],
  user_principal_name: ['N/A', 'admin', 'support@x.org', 'not a login', '0000'],
  first_name: ['N/A', 'Unknown', '-', 'FNU', 'test'],
  last_name: ['N/A', 'Unknown', '-', 'LNU', 'N.N.'],
  'attributes.phone': ['N/A', '000000000', '---', 'unknown'],
};

/** Links a unique fuzzy match, so that a placeholder could link here too. */
const trusting: MatchingRules = {
  ...defaultMatchingRules,
  weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' as const })),
};

const records = fc.array(
  fc.record(
    Object.fromEntries(Object.entries(stopValues).map(([field, values]) => [field, fc.constantFrom(...values)])),
    { requiredKeys: [] },
  ),
  { minLength: 1, maxLength: 5 },
);

const linkedKeys = () =>
  directory.fixture.rows('select kind, value from correlation_keys where tenant_id = $1', [directory.tenant]);

async function linkedTogether(): Promise<{ records: number }[]> {
  return directory.fixture.rows(
    `select count(*)::int as records from source_records where tenant_id = $1 and identity_id is not null
      group by identity_id having count(*) > 1`,
    [directory.tenant],
  );
}

describe('a word in place of a first name', () => {
  it.each(['FNU', 'unknown', '-', 'N.N.', 'Test'])(
    'joins no two people with one number or address: %s',
    async (none) => {
      const keys = { employee_number: '17', email: 'desk@x.org' };
      const [hr, other] = [
        await directory.fixture.connector(directory.tenant, { priority: 10 }),
        await directory.fixture.connector(directory.tenant, { priority: 20 }),
      ];
      await directory.sync(hr, [row('1', { first_name: none, last_name: 'Singh', ...keys })]);
      await directory.sync(other, [row('a', { first_name: none, last_name: 'Otto', ...keys })]);
      expect(await directory.people()).toEqual([['1'], ['a']]);
      await directory.sync(other, [row('a', { first_name: 'Raj', last_name: 'Singh', ...keys })]);
      expect(await directory.people()).toEqual([['1', 'a']]);
    },
  );
});

describe('invisible characters and other notations of a key', () => {
  it.each([
    ['1\u200b7', 'ann@x.org'],
    ['１７', '\u202aann@x.org\u202c'],
    ['17\u00a0', 'ann@x.org\ufeff'],
  ])('do not part two records of a person: %j and %j', async (employee_number, email) => {
    const [hr, other] = [
      await directory.fixture.connector(directory.tenant, { priority: 10 }),
      await directory.fixture.connector(directory.tenant, { priority: 20 }),
    ];
    await directory.sync(hr, [row('1', { employee_number: '17' }), row('2', { email: 'ann@x.org' })]);
    await directory.sync(other, [row('a', { employee_number }), row('b', { email })]);
    expect(await directory.people()).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
  });
});

describe('placeholders and role mailboxes', () => {
  it('never link two records of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(records, { minLength: 4, maxLength: 4 }), async (lists) => {
        await directory.newTenant();
        await directory.operate('rules.change', { rules: trusting, preview: false });
        const kinds: RecordKind[] = ['user', 'user', 'account', 'machine_identity'];
        for (const [at, kind] of kinds.entries()) {
          const connector = await directory.fixture.connector(directory.tenant, { records: kind, priority: at });
          await directory.sync(
            connector,
            (lists[at] ?? []).map((values, place) => row(`${kind}-${at}-${place}`, values as Record<string, string>)),
          );
        }
        expect(await linkedTogether()).toEqual([]);
        expect(await linkedKeys()).toEqual([]);
      }),
      { numRuns: Number(process.env.IDSYNC_PROPERTY_RUNS ?? 15) },
    );
  }, 600_000);

  it('are shown as attributes', async () => {
    const hr = await directory.fixture.connector(directory.tenant);
    await directory.sync(hr, [row('1', { employee_number: 'N/A', email: 'info@x.org' })]);
    const [identity] = await directory.fixture.identities<{
      attributes: { field_name: string; field_value: string }[];
    }>(directory.tenant);
    expect(identity?.attributes.map((each) => [each.field_name, each.field_value])).toEqual([
      ['email', 'info@x.org'],
      ['employee_number', 'N/A'],
    ]);
  });

  it('do not contradict an employee number in a fuzzy match', async () => {
    const hr = await directory.fixture.connector(directory.tenant, { priority: 1 });
    const ldap = await directory.fixture.connector(directory.tenant, { records: 'account', priority: 2 });
    const ann = { first_name: 'Ann', last_name: 'Smith' };
    await directory.sync(hr, [row('1', { ...ann, employee_number: '4711' })]);
    await directory.sync(ldap, [row('ann', { ...ann, employee_number: 'N/A' })]);
    const cases = await directory.fixture.rows('select kind from review_cases where tenant_id = $1', [
      directory.tenant,
    ]);
    expect(cases).toEqual([{ kind: 'weak' }]);
  });
});
