import type { SourceRecord } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Harness, row } from '../../test/harness.js';

const directory = Harness.ofFile();

const one = (...values: string[]) => fc.constantFrom(undefined, ...values);
const person = fc.record({
  employee_number: one('17', '19'),
  email: one('lee@x.org', 'otto@x.org'),
  user_principal_name: one('p'),
  first_name: fc.constantFrom('Karl', 'Ann', 'Mia'),
  last_name: fc.constantFrom('Lee', 'Otto'),
});
type Person = typeof person extends fc.Arbitrary<infer Value> ? Value : never;
const listOf = fc.array(person, { minLength: 1, maxLength: 2 });

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

interface Outcome {
  /** External ids by person. */
  people: string[][];
  /** The external ids of the people in each open case. */
  cases: string[][];
}

/** Reads three sources of a new tenant for the first time. External ids are the source and the place, such as `1b`. */
async function firstRuns(lists: readonly Person[][], order: readonly number[]): Promise<Outcome> {
  await directory.newTenant();
  const { fixture, tenant } = directory;
  const connectors: string[] = [];
  for (const at of lists.keys()) connectors.push(await fixture.connector(tenant, { priority: 10 * at }));
  for (const at of order) {
    const rows = (lists[at] ?? []).map((values, place) => recordOf(`${at}${'ab'.charAt(place)}`, values));
    const job = await directory.sync(connectors[at] ?? '', rows);
    await fixture.rows(`update sync_jobs set status = 'completed' where id = $1`, [job]);
  }
  const cases = await fixture.rows<{ person: string; candidates: { identity_id: string }[] }>(
    `select r.identity_id as person, candidates from review_cases c join source_records r on r.id = c.record_id
      where c.tenant_id = $1 and c.status = 'open'`,
    [tenant],
  );
  const records = await fixture.rows<{ person: string; name: string }>(
    'select identity_id as person, external_id as name from source_records where tenant_id = $1',
    [tenant],
  );
  const of = (ids: readonly string[]) => records.flatMap(({ person, name }) => (ids.includes(person) ? name : []));
  return {
    people: await directory.people(),
    cases: cases.map((each) => of([each.person, ...each.candidates.map(({ identity_id }) => identity_id)])),
  };
}

function recordOf(id: string, { ...values }: Person): SourceRecord {
  const given = Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]));
  return row(id, Object.fromEntries(given));
}

/** Returns the pairs of records that are one person after some orders and two after others, without a case about it. */
function silentDifferences(outcomes: readonly Outcome[]): string[] {
  const ids = (outcomes[0]?.people.flat() ?? []).sort();
  return ids.flatMap((a, at) =>
    ids.slice(at + 1).flatMap((b) => {
      const areOne = ({ people }: Outcome) => people.some((names) => names.includes(a) && names.includes(b));
      const isAsked = ({ people, cases }: Outcome) => {
        const both = people.filter((names) => names.includes(a) || names.includes(b)).flat();
        return cases.some((names) => names.some((name) => both.includes(name)));
      };
      const together = outcomes.filter(areOne);
      const apart = outcomes.filter((each) => !areOne(each));
      if (together.length === 0 || apart.length === 0) return [];
      return together.every(isAsked) || apart.every(isAsked) ? [] : [`${a} and ${b}`];
    }),
  );
}

describe('three sources with shared keys', () => {
  it('give the same people in every order of their first runs, or a case asks', async () => {
    const known: [Person[], Person[], Person[]] = [
      [{ employee_number: '17', email: 'desk@x.org', first_name: 'Karl', last_name: 'Lee' } as Person],
      [{ email: 'desk@x.org', first_name: 'Ann', last_name: 'Otto' } as Person],
      [{ employee_number: '19', email: 'desk@x.org', first_name: 'Mia', last_name: 'Otto' } as Person],
    ];
    await fc.assert(
      fc.asyncProperty(listOf, listOf, listOf, async (...lists) => {
        const outcomes: Outcome[] = [];
        for (const order of orders) outcomes.push(await firstRuns(lists, order));
        expect(silentDifferences(outcomes)).toEqual([]);
      }),
      { numRuns: Number(process.env.IDSYNC_PROPERTY_RUNS ?? 15), examples: [known] },
    );
  }, 600_000);
});

describe('a record that only an address links with its person', () => {
  const lists = async (...sources: [string, string, string?][]) => {
    for (const [at, [name, email, employee_number]] of sources.entries()) {
      const connector = await directory.fixture.connector(directory.tenant, { priority: 10 * at });
      const values = { display_name: name, email, ...(employee_number && { employee_number }) };
      const job = await directory.sync(connector, [row(`${at}`, values)]);
      await directory.fixture.rows(`update sync_jobs set status = 'completed' where id = $1`, [job]);
    }
  };
  const openCases = () =>
    directory.fixture.rows<{ record: string; reason: string }>(
      `select r.external_id as record, reason from review_cases c join source_records r on r.id = c.record_id
        where c.tenant_id = $1 and c.status = 'open'`,
      [directory.tenant],
    );

  beforeEach(() => directory.newTenant());

  it('stays, with a case, when another person has the address, too', async () => {
    await lists(['Ann Otto', 'desk@x.org'], ['Mia Otto', 'desk@x.org', '19'], ['Karl Lee', 'desk@x.org', '17']);
    expect(await directory.people()).toEqual([['0', '1'], ['2']]);
    const reason = 'email "desk@x.org" links it, and belongs to another person, too';
    expect(await openCases()).toEqual([{ record: '1', reason }]);
  });

  it('becomes another person when an operator says so', async () => {
    await lists(['Ann Otto', 'desk@x.org'], ['Mia Otto', 'desk@x.org', '19'], ['Karl Lee', 'desk@x.org', '17']);
    const [{ id } = { id: '' }] = await directory.fixture.rows<{ id: string }>(
      `select c.id from review_cases c join source_records r on r.id = c.record_id
        where c.tenant_id = $1 and r.external_id = '1'`,
      [directory.tenant],
    );
    await directory.operate('case.resolve', { case_id: id, resolution: 'new' });
    expect(await directory.people()).toEqual([['0'], ['1'], ['2']]);
  });

  it('needs no case if it has the full name of its person', async () => {
    await lists(['Ann Otto', 'desk@x.org'], ['Otto, Ann', 'desk@x.org'], ['Karl Lee', 'desk@x.org', '17']);
    expect(await directory.people()).toEqual([['0', '1'], ['2']]);
    expect((await openCases()).map(({ record }) => record)).toEqual(['2']);
  });

  it('is joined by the full name also if the other person came first', async () => {
    await lists(['Karl Lee', 'desk@x.org', '17'], ['Ann Otto', 'desk@x.org'], ['Ann Otto', 'desk@x.org']);
    expect(await directory.people()).toEqual([['0'], ['1', '2']]);
  });
});
