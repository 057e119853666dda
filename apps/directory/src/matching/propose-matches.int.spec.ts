import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { endJob } from '../../test/whole-run.js';
import { applyBatch } from '../batch/apply-batch.js';
import { proposeMatches } from './propose-matches.js';

interface OpenCase {
  external_id: string;
  candidates: { identity_id: string }[];
}

const directory = Harness.ofFile();
let hr: string;
let ad: string;

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10, name: 'HR' });
  ad = await directory.fixture.connector(directory.tenant, { priority: 20, name: 'AD' });
});

const cases = () =>
  directory.fixture.rows<OpenCase>(
    `select c.candidates, r.external_id from review_cases c join source_records r on r.id = c.record_id
      where c.tenant_id = $1 and c.status = 'open' order by r.external_id`,
    [directory.tenant],
  );

const trusting: MatchingRules = {
  ...defaultMatchingRules,
  weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' })),
};

describe('another record in the same comparison', () => {
  it('does not add a candidate that shares no value with the record', async () => {
    await directory.sync(hr, [row('1', { first_name: 'Robert', last_name: 'Millner' })]);
    await directory.sync(ad, [row('miller', { first_name: 'Robert', last_name: 'Miller' })]);
    await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
    expect(await cases()).toEqual([]);
  });

  it('does not hide that a later record of the same source has the same candidate', async () => {
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, [
      row('1', { first_name: 'Alice', last_name: 'Green', 'attributes.phone': '123 456 789' }),
    ]);
    const many = Array.from({ length: 700 }, (_, at) => row(`n${at}`, { employee_number: `N${at}` }));
    await directory.sync(ad, [
      row('phone', { display_name: 'Front Desk', 'attributes.phone': '123456789' }),
      ...many,
      row('name', { first_name: 'Alice', last_name: 'Green' }),
    ]);
    expect((await cases()).map((each) => each.external_id)).toEqual(['name', 'phone']);
  });
});

describe('an account', () => {
  const named = { first_name: 'Alice', last_name: 'Green' };
  let logins: string;

  beforeEach(async () => {
    logins = await directory.fixture.connector(directory.tenant, { records: 'account', name: 'Logins' });
  });

  const stored = async () => {
    const count = (table: string, kind: string) =>
      `(select count(*)::int from ${table} t join source_records r on r.id = t.record_id
         where t.tenant_id = $1 and r.kind = '${kind}') as ${kind}s_${table}`;
    const tables = [count('weak_keys', 'account'), count('match_queue', 'account')];
    return (await directory.fixture.rows(`select ${tables}`, [directory.tenant]))[0];
  };
  const none = { accounts_weak_keys: 0, accounts_match_queue: 0 };

  it('that a match key has linked is not compared with people', async () => {
    await directory.sync(hr, [row('1', { ...named, email: 'alice@acme.example' })]);
    const job = await directory.fixture.job(directory.tenant, logins, 'running');
    const account = row('agreen', { ...named, email: 'alice@acme.example' });
    await applyBatch(directory.database, await directory.fixture.batch(directory.tenant, logins, job, 0, [account]));
    expect(await stored()).toEqual(none);
  });

  it('is compared until it is linked, and again when its link ends', async () => {
    await directory.sync(hr, [row('1', named)]);
    await directory.sync(logins, [row('agreen', named)]);
    expect((await cases()).map((each) => each.external_id)).toEqual(['agreen']);
    await directory.sync(hr, [row('1', { ...named, email: 'alice@acme.example' })]);
    await directory.sync(logins, [row('agreen', { ...named, email: 'alice@acme.example' })]);
    expect([await cases(), await stored()]).toEqual([[], none]);
    const withoutEmail: MatchingRules = { ...defaultMatchingRules, certain: ['employee_number'], keys: [] };
    await directory.operate('rules.change', { rules: withoutEmail, preview: false });
    expect((await cases()).map((each) => each.external_id)).toEqual(['agreen']);
  });
});

describe('the display name of an account', () => {
  it.each([
    'Nguyen Minh Anh',
    'NGUYEN Minh Anh (EXT)',
    'Minh Anh Nguyen [Contractor]',
    'Minh Anh Nguyen - IT',
    'adm Minh Anh Nguyen',
    'Nguyen, Minh Anh',
    'Minh\u200b Anh\u00a0Nguyen',
  ])('opens a case with the person, in any order and with remarks: %s', async (display_name) => {
    const accounts = await directory.fixture.connector(directory.tenant, { records: 'account', name: 'Logins' });
    await directory.sync(hr, [row('1', { first_name: 'Minh Anh', last_name: 'Nguyen' })]);
    await directory.sync(accounts, [row('mnguyen', { display_name })]);
    await proposeMatches(directory.database, directory.tenant);
    expect(await cases()).toMatchObject([{ external_id: 'mnguyen', candidates: [{}] }]);
  });
});

describe('while a job of people runs, the fuzzy match', () => {
  const [first, second] = ['1', '2'].map((id) => row(id, { first_name: 'Alice', last_name: 'Green' }));

  /** Applies the first of two namesakes, then a job of another source. `applyRest` applies the second namesake. */
  async function halfReadJob(other: string): Promise<{ job: string; applyRest: () => Promise<unknown> }> {
    const { database, fixture, tenant } = directory;
    await directory.operate('rules.change', { rules: trusting, preview: false });
    const job = await fixture.job(tenant, hr, 'running');
    await applyBatch(database, await fixture.batch(tenant, hr, job, 0, first ? [first] : []));
    await directory.sync(other, [row('agreen', { first_name: 'Alice', last_name: 'Green' })]);
    const applyRest = async () => applyBatch(database, await fixture.batch(tenant, hr, job, 1, second ? [second] : []));
    return { job, applyRest };
  }

  it('does not link a match that is unique only in a partially read source', async () => {
    const { job, applyRest } = await halfReadJob(
      await directory.fixture.connector(directory.tenant, { records: 'account' }),
    );
    await directory.operate('attributes.rank', {});
    expect(await directory.people()).toEqual([['1']]);
    await applyRest();
    await endJob(directory, job, 'failed');
    await proposeMatches(directory.database, directory.tenant);
    expect(await directory.people()).toEqual([['1'], ['2']]);
    expect((await cases()).map((each) => each.candidates.length)).toEqual([2]);
  });

  it('does not wait for a dry run or a job of machines', async () => {
    const { job } = await halfReadJob(ad);
    await endJob(directory, job);
    const bots = await directory.fixture.connector(directory.tenant, { records: 'machine_identity' });
    await directory.fixture.job(directory.tenant, bots, 'running');
    const dryRun = await directory.fixture.job(directory.tenant, ad, 'running');
    await directory.fixture.rows('update sync_jobs set dry_run = true where id = $1', [dryRun]);
    await proposeMatches(directory.database, directory.tenant);
    expect(await directory.people()).toEqual([['1', 'agreen']]);
  });

  it('opens a case instead of a link if that job is quarantined', async () => {
    const { job } = await halfReadJob(ad);
    await endJob(directory, job, 'quarantined');
    await proposeMatches(directory.database, directory.tenant);
    expect(await directory.people()).toEqual([['1'], ['agreen']]);
    expect((await cases()).map((each) => each.external_id)).toEqual(['agreen']);
  });
});
