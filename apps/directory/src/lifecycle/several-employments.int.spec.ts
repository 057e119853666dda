import { defaultMatchingRules, type SourceRecord } from '@idsync/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { endJob, wholeRun } from '../../test/whole-run.js';

let directory: Harness;
let hr: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
});

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));
afterAll(() => directory?.close());

const contract = (id: string, more: Record<string, string> = {}) =>
  row(id, { display_name: 'Ann Lee', employee_number: '17', email: 'ann@x.org', ...more });
const old = contract('1', {
  status: 'inactive',
  job_title: 'Intern',
  hire_date: '2019-01-01T00:00:00.000Z',
  termination_date: '2020-12-31T00:00:00.000Z',
});
const current = contract('2', { status: 'active', job_title: 'Engineer', hire_date: '2024-03-01T00:00:00.000Z' });
const others = Array.from({ length: 4 }, (_, at) => row(`other-${at}`, { display_name: `Person ${at}` }));

async function run(...batches: SourceRecord[][]): Promise<string> {
  const job = await wholeRun(directory, hr, [...batches, others]);
  await endJob(directory, job);
  return job;
}

/** Status and winning values of the identity of a record. */
async function shown(externalId: string): Promise<Record<string, string>> {
  const [identity] = await directory.fixture.rows<{ document: string }>(
    'select document from identities where id = $1',
    [await directory.identityOf(externalId)],
  );
  const { status, attributes } = JSON.parse(identity?.document ?? '{}') as {
    status: string;
    attributes: { field_name: string; field_value: string }[];
  };
  const values = attributes.filter(({ field_name }) => /title|date/.test(field_name));
  return Object.fromEntries([['status', status], ...values.map((each) => [each.field_name, each.field_value])]);
}

const lifecycleOf = async (externalId: string) => {
  const rows = await directory.fixture.rows<{ type: string }>(
    `select type from events where identity_id = $1 and type like 'lifecycle.%er' and type <> 'lifecycle.mover' order by sequence`,
    [await directory.identityOf(externalId)],
  );
  return rows.map(({ type }) => type);
};

const cases = async () => {
  const rows = await directory.fixture.rows<{ text: string }>(
    `select r.external_id || ': ' || c.reason || ' (' || c.status || ')' as text
       from review_cases c join source_records r on r.id = c.record_id where c.tenant_id = $1 order by 1`,
    [directory.tenant],
  );
  return rows.map(({ text }) => text);
};

const contracts = async () => (await directory.people()).filter((names) => !names[0]?.startsWith('other'));

describe('several contracts of one person in one source', () => {
  const engineer = { status: 'active', job_title: 'Engineer', hire_date: '2024-03-01T00:00:00.000Z' };

  it.each<[string, SourceRecord[][]]>([
    ['the earlier contract first', [[old, current]]],
    ['the current contract first', [[current, old]]],
    ['the earlier contract on an earlier page', [[old], [current]]],
    ['the current contract on an earlier page', [[current], [old]]],
  ])('are one person who shows the current contract and joins once, with %s', async (_order, batches) => {
    await run(...batches);
    expect(await contracts()).toEqual([['1', '2']]);
    expect(await shown('1')).toEqual(engineer);
    expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner']);
    expect(await cases()).toEqual([]);
  });

  it('are one person with lifecycle.rejoiner if the current contract arrives in a later run', async () => {
    await run([contract('1')]);
    await run([old]);
    expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner', 'lifecycle.leaver']);
    await run([old, current]);
    expect(await contracts()).toEqual([['1', '2']]);
    expect(await shown('1')).toEqual(engineer);
    expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner', 'lifecycle.leaver', 'lifecycle.rejoiner']);
  });

  it('are one person whose last name has changed', async () => {
    await run([old, contract('2', { display_name: 'Ann Berg', job_title: 'Lead' })]);
    expect(await contracts()).toEqual([['1', '2']]);
  });

  it('stay one active person when the source no longer lists the earlier contract', async () => {
    await run([old, current]);
    await run([current]);
    expect(await contracts()).toEqual([['1', '2']]);
    expect(await shown('2')).toEqual(engineer);
    expect(await lifecycleOf('2')).toEqual(['lifecycle.joiner']);
  });

  it('are one person if both are active, who shows the contract with the latest hire date', async () => {
    await run([contract('1', { hire_date: '2025-01-01T00:00:00.000Z', job_title: 'Lead' }), current]);
    expect(await contracts()).toEqual([['1', '2']]);
    expect((await shown('1')).job_title).toBe('Lead');
  });

  it('show the other contract as soon as the primary one has ended', async () => {
    await run([contract('1', { job_title: 'Teacher' }), current]);
    await run([contract('1', { job_title: 'Teacher' }), contract('2', { status: 'inactive' })]);
    expect(await shown('1')).toEqual({ status: 'active', job_title: 'Teacher' });
    expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner']);
  });

  it('are joined with the record of another source by their number', async () => {
    const ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
    await directory.sync(ad, [row('a', { display_name: 'Ann Lee', employee_number: '17' })]);
    await run([old, current]);
    expect(await contracts()).toEqual([['1', '2', 'a']]);
  });

  it('are one person by stored rules that lack the setting', async () => {
    const { certain, weak } = defaultMatchingRules;
    await directory.fixture.rows('insert into matching_rules (tenant_id, rules, updated_at) values ($1, $2, now())', [
      directory.tenant,
      JSON.stringify({ certain, weak }),
    ]);
    await run([old, current]);
    expect(await contracts()).toEqual([['1', '2']]);
  });

  it('stay two people after an operator has split them', async () => {
    await run([old, current]);
    const { id, identity_id } = await directory.record('2');
    await directory.operate('identity.split', { identity_id, record_ids: [id] });
    await run([contract('1', { status: 'inactive' }), contract('2', { job_title: 'Lead' })]);
    expect(await contracts()).toEqual([['1'], ['2']]);
  });
});

describe('two records of one source that may be one person', () => {
  it.each<[string, Record<string, string>, string[]]>([
    [
      'a number and other names',
      { display_name: 'Karl Berg' },
      ['2: employee_number "17" belongs to a person with another name (open)'],
    ],
    [
      'a number and the last name only',
      { display_name: 'Karl Lee' },
      ['2: employee_number "17" belongs to a person with another name (open)'],
    ],
    [
      'an address and the name',
      { employee_number: '' },
      ['2: email "ann@x.org" belongs to another record of the same source (open)'],
    ],
    ['an address and other names', { employee_number: '', display_name: 'Karl Berg' }, []],
    [
      'an address and the name, with another number',
      { employee_number: '18' },
      ['2: email "ann@x.org" belongs to a person with another permanent key (open)'],
    ],
    ['an address and the surname, with another number', { employee_number: '18', display_name: 'Karl Lee' }, []],
  ])('are not joined if they share %s', async (_what, more, expected) => {
    const other = contract('2', more);
    const fields = Object.entries(other.fields).filter(([, [value]]) => value !== '');
    await run([contract('1'), { ...other, fields: Object.fromEntries(fields) }]);
    expect(await contracts()).toEqual([['1'], ['2']]);
    expect(await cases()).toEqual(expected);
  });

  it('are three people with a case for each newer one if only their number is the same', async () => {
    const named = (id: string, display_name: string) => row(id, { display_name, employee_number: '17' });
    await run([named('1', 'Ann Lee')], [named('2', 'Karl Berg')], [named('3', 'Mia Rossi')]);
    expect(await contracts()).toEqual([['1'], ['2'], ['3']]);
    expect(await cases()).toEqual([
      '2: employee_number "17" belongs to a person with another name (open)',
      '3: employee_number "17" belongs to a person with another name (open)',
    ]);
  });

  it('stay apart with a case for the newer record if the rules say case, and are joined by a link of it', async () => {
    const rules = { ...defaultMatchingRules, several_employments: 'case' as const };
    await directory.operate('rules.change', { rules, preview: false });
    await run([old], [current]);
    expect(await contracts()).toEqual([['1'], ['2']]);
    expect(await cases()).toEqual(['2: employee_number "17" belongs to another record of the same source (open)']);
    const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
      directory.tenant,
    ]);
    const identity_id = await directory.identityOf('1');
    await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'link', identity_id });
    expect(await contracts()).toEqual([['1', '2']]);
    expect((await shown('1')).job_title).toBe('Engineer');
  });

  it('are joined and separated by a change of the rules', async () => {
    await run([old, current]);
    const rules = { ...defaultMatchingRules, several_employments: 'case' as const };
    const { result } = await directory.operate('rules.change', { rules, preview: false });
    expect(result).toMatchObject({ identities_parted: 1 });
    expect(await contracts()).toEqual([['1'], ['2']]);
    await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
    expect(await contracts()).toEqual([['1', '2']]);
  });
});
