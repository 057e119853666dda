import { defaultLifecyclePolicy, defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { evaluate, shownFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { wholeRun } from '../../test/whole-run.js';
import { applyDue } from '../background/due-work.js';

let directory: Harness;
let hr: string;
let contractors: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10, employments: true });
  contractors = await directory.fixture.connector(directory.tenant, { priority: 20, employments: true });
});

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));
afterAll(() => directory?.close());

const person = (id: string, more: Record<string, string>) =>
  row(id, { employee_number: '17', last_name: 'Lee', ...more });
const contract = person('c1', { termination_date: '2026-12-31T00:00:00.000Z', job_title: 'Contractor' });
const employment = person('17', { hire_date: '2027-01-01T00:00:00.000Z', job_title: 'Engineer' });

async function shown(): Promise<Record<string, string>> {
  const [identity] = await directory.fixture.rows<{ document: string }>(
    'select document from identities where tenant_id = $1',
    [directory.tenant],
  );
  const { status, attributes } = JSON.parse(identity?.document ?? '{}');
  const values = (attributes as { field_name: string; field_value: string }[])
    .filter(({ field_name }) => /title|date/.test(field_name))
    .map((each) => [each.field_name, each.field_value.slice(0, 10)]);
  return { status, ...Object.fromEntries(values) };
}

async function lifecycle(): Promise<string[]> {
  const rows = await directory.fixture.rows<{ type: string }>(
    `select type from events where tenant_id = $1 and type in ('lifecycle.joiner', 'lifecycle.leaver', 'lifecycle.rejoiner') order by sequence`,
    [directory.tenant],
  );
  return rows.map(({ type }) => type);
}

async function conflicts(at: string): Promise<string[]> {
  await evaluate(directory, at);
  return shownFindings(directory);
}

describe('a contractor who becomes an employee', () => {
  it('keeps access without a leaver, and shows the values of the employment that runs', async () => {
    await directory.sync(contractors, [contract], '2026-11-29T00:00:00Z');
    await directory.sync(hr, [employment], '2026-11-30T00:00:00Z');
    expect(await shown()).toEqual({ status: 'active', job_title: 'Contractor', termination_date: '2026-12-31' });
    await applyDue(directory.database, directory.tenant, new Date('2027-01-01T00:00:00Z'));
    expect(await shown()).toEqual({ status: 'active', job_title: 'Engineer', hire_date: '2027-01-01' });
    expect(await lifecycle()).toEqual(['lifecycle.joiner']);
  });

  it('is pending between the two, because a directory does not revive the person', async () => {
    const login = await directory.fixture.connector(directory.tenant, { name: 'Directory', priority: 5 });
    await directory.sync(contractors, [contract], '2026-11-29T00:00:00Z');
    await directory.sync(login, [person('ann', {})], '2026-11-29T00:00:00Z');
    await directory.sync(hr, [person('17', { hire_date: '2027-03-01T00:00:00.000Z' })], '2026-11-30T00:00:00Z');
    expect((await shown()).status).toBe('active');
    await applyDue(directory.database, directory.tenant, new Date('2027-01-01T00:00:00Z'));
    expect((await shown()).status).toBe('pending');
    await applyDue(directory.database, directory.tenant, new Date('2027-03-01T00:00:00Z'));
    expect(await lifecycle()).toEqual(['lifecycle.joiner', 'lifecycle.leaver', 'lifecycle.rejoiner']);
  });
});

describe('an employee whose contract with another employer has ended', () => {
  const former = row('c1', { last_name: 'Lee', email: 'lee@x.org', status: 'inactive' });

  it('is not revived by an address', async () => {
    await directory.sync(contractors, [former], '2026-11-29T00:00:00Z');
    await directory.sync(hr, [row('17', { last_name: 'Lee', email: 'lee@x.org' })], '2026-11-29T00:00:00Z');
    expect(await directory.people()).toEqual([['17'], ['c1']]);
    const reasons = await directory.fixture.rows('select reason from review_cases where tenant_id = $1', [
      directory.tenant,
    ]);
    expect(reasons).toEqual([{ reason: 'email "lee@x.org" belongs to a person who has left' }]);
  });

  it('has a finding if the source that precedes lists no dates', async () => {
    const list = await directory.fixture.connector(directory.tenant, { name: 'List', priority: 5 });
    await directory.sync(list, [person('ann', {})], '2026-11-29T00:00:00Z');
    await directory.sync(contractors, [person('c1', { status: 'inactive' })], '2026-11-29T00:00:00Z');
    expect((await shown()).status).toBe('inactive');
    expect(await conflicts('2026-11-29T01:00:00Z')).toEqual(['employment_conflict ann: open']);
    await directory.sync(hr, [person('17', {})], '2026-11-30T00:00:00Z');
    expect(await conflicts('2026-11-30T01:00:00Z')).toEqual(['employment_conflict ann: resolved']);
  });
});

describe('two sources of equal precedence', () => {
  it('have a finding if one of them no longer employs or lists the person', async () => {
    const copy = await directory.fixture.connector(directory.tenant, { name: 'Copy', priority: 10, employments: true });
    await directory.sync(copy, [person('1', {})], '2026-11-29T00:00:00Z');
    await directory.sync(hr, [person('17', { status: 'inactive' })], '2026-11-29T00:00:00Z');
    expect((await shown()).status).toBe('active');
    expect(await conflicts('2026-11-29T01:00:00Z')).toEqual(['employment_conflict 1: open']);
    await wholeRun(directory, hr, [[row('18', { last_name: 'Berg' })]], { at: '2026-11-30T00:00:00Z' });
    expect(await conflicts('2026-11-30T01:00:00Z')).toEqual([
      'employment_conflict 1: resolved',
      'leaver_in_other_source 1: open',
    ]);
  });
});

describe('a transfer between two sources of equal precedence', () => {
  it('is no finding if the new employment began after the one that is no longer listed', async () => {
    const other = await directory.fixture.connector(directory.tenant, { name: 'B', priority: 10, employments: true });
    await directory.sync(hr, [person('17', { hire_date: '2020-03-01T00:00:00.000Z' })], '2026-11-28T00:00:00Z');
    await directory.sync(other, [person('b1', { hire_date: '2026-11-29T00:00:00.000Z' })], '2026-11-29T00:00:00Z');
    await wholeRun(directory, hr, [[row('18', { last_name: 'Berg' })]], { at: '2026-11-29T00:00:00Z' });
    expect((await shown()).status).toBe('active');
    expect(await conflicts('2026-11-30T01:00:00Z')).toEqual([]);
  });
});

describe('two employers that disagree', () => {
  it('keep the access of the person, and a finding asks', async () => {
    await directory.sync(hr, [person('17', { status: 'inactive' })], '2026-11-29T00:00:00Z');
    await directory.sync(contractors, [person('c1', {})], '2026-11-29T00:00:00Z');
    expect((await shown()).status).toBe('active');
    expect(await conflicts('2026-11-29T01:00:00Z')).toEqual(['employment_conflict c1: open']);
    await directory.sync(contractors, [person('c1', { status: 'inactive' })], '2026-11-30T00:00:00Z');
    expect((await shown()).status).toBe('inactive');
    expect(await conflicts('2026-11-30T01:00:00Z')).toEqual(['employment_conflict c1: resolved']);
  });

  it('do not if one employment follows the other', async () => {
    await directory.sync(hr, [person('17', { termination_date: '2026-06-30T00:00:00.000Z' })], '2026-11-29T00:00:00Z');
    await directory.sync(
      contractors,
      [person('c1', { hire_date: '2026-07-01T00:00:00.000Z' })],
      '2026-11-29T00:00:00Z',
    );
    expect((await shown()).status).toBe('active');
    expect(await conflicts('2026-11-29T01:00:00Z')).toEqual([]);
  });
});

describe('a source that is set to list no employments', () => {
  it('decides as a directory does', async () => {
    await directory.sync(hr, [person('17', { status: 'inactive' })]);
    await directory.sync(contractors, [person('c1', {})]);
    expect((await shown()).status).toBe('active');
    const policy = { connector_employments: [{ connector_id: contractors, employments: false }] };
    await directory.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, ...policy } });
    expect((await shown()).status).toBe('inactive');
  });
});

describe('two companies with the same numbers', () => {
  const ofOne = row('a1', { employee_number: '1', first_name: 'Tom', last_name: 'Berg', status: 'inactive' });
  const ofOther = (field: string) => row('b1', { [field]: '1', first_name: 'Ute', last_name: 'Berg' });
  let logins: string;

  beforeEach(async () => {
    logins = await directory.fixture.connector(directory.tenant, { name: 'Logins', records: 'account' });
    await directory.sync(hr, [ofOne]);
  });

  it('are kept apart by a key of the second company, which links its accounts', async () => {
    const rules: MatchingRules = {
      ...defaultMatchingRules,
      certain: [...defaultMatchingRules.certain, 'attributes.number_b'],
      keys: [{ field: 'attributes.number_b', normaliser: 'exact', strength: 'permanent' }],
    };
    await directory.operate('rules.change', { rules, preview: false });
    await directory.sync(contractors, [ofOther('attributes.number_b')]);
    await directory.sync(logins, [row('l1', { 'attributes.number_b': '1' })]);
    expect(await directory.people()).toEqual([['a1'], ['b1', 'l1']]);
  });

  it('that were joined by a common surname are separated after the mapping is corrected, also their access', async () => {
    await directory.sync(contractors, [ofOther('employee_number')]);
    expect(await directory.people()).toEqual([['a1', 'b1']]);
    await directory.sync(contractors, [ofOther('attributes.number_b')]);
    const result = await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
    expect(await directory.people()).toEqual([['a1'], ['b1']]);
    expect(result.result).toMatchObject({ access_changes: [{ from: 'active', to: 'inactive' }] });
  });
});
