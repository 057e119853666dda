import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../test/harness.js';
import { endJob } from '../test/whole-run.js';
import { applyBatch } from './apply-batch.js';
import { proposeMatches } from './propose-matches.js';

interface OpenCase {
  external_id: string;
  candidates: { identity_id: string }[];
}

let directory: Harness;
let hr: string;
let ad: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10, name: 'HR' });
  ad = await directory.fixture.connector(directory.tenant, { priority: 20, name: 'AD' });
});

afterAll(() => directory?.close());

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

describe('what is compared beside a record', () => {
  it('does not bring it a person with whom it shares no value', async () => {
    await directory.sync(hr, [row('1', { first_name: 'Robert', last_name: 'Millner' })]);
    await directory.sync(ad, [row('miller', { first_name: 'Robert', last_name: 'Miller' })]);
    await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
    expect(await cases()).toEqual([]);
  });

  it('does not hide that another record of its source, compared later, means the same person', async () => {
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

describe('while a list is half read', () => {
  const [first, second] = ['1', '2'].map((id) => row(id, { first_name: 'Alice', last_name: 'Green' }));

  /** The first of two namesakes has come when a job of another source ends; resolves with how the second comes. */
  async function halfAList(other: string): Promise<{ job: string; readOn: () => Promise<unknown> }> {
    const { database, fixture, tenant } = directory;
    await directory.operate('rules.change', { rules: trusting, preview: false });
    const job = await fixture.job(tenant, hr, 'running');
    await applyBatch(database, await fixture.batch(tenant, hr, job, 0, first ? [first] : []));
    await directory.sync(other, [row('agreen', { first_name: 'Alice', last_name: 'Green' })]);
    const readOn = async () => applyBatch(database, await fixture.batch(tenant, hr, job, 1, second ? [second] : []));
    return { job, readOn };
  }

  it('nobody is linked by a likeness that is unique only until the list is whole', async () => {
    const { job, readOn } = await halfAList(
      await directory.fixture.connector(directory.tenant, { records: 'account' }),
    );
    await directory.operate('attributes.rank', {});
    expect(await directory.people()).toEqual([['1']]);
    await readOn();
    await endJob(directory, job, 'failed');
    await proposeMatches(directory.database, { tenant_id: directory.tenant });
    expect(await directory.people()).toEqual([['1'], ['2']]);
    expect((await cases()).map((each) => each.candidates.length)).toEqual([2]);
  });

  it('nobody waits for a dry run or a list of machines', async () => {
    const { job } = await halfAList(ad);
    await endJob(directory, job);
    const bots = await directory.fixture.connector(directory.tenant, { records: 'machine_identity' });
    await directory.fixture.job(directory.tenant, bots, 'running');
    const rehearsal = await directory.fixture.job(directory.tenant, ad, 'running');
    await directory.fixture.rows('update sync_jobs set dry_run = true where id = $1', [rehearsal]);
    await proposeMatches(directory.database, { tenant_id: directory.tenant });
    expect(await directory.people()).toEqual([['1', 'agreen']]);
  });

  it('and then held back, who resembles its people is asked about and not linked', async () => {
    const { job } = await halfAList(ad);
    await endJob(directory, job, 'quarantined');
    await proposeMatches(directory.database, { tenant_id: directory.tenant });
    expect(await directory.people()).toEqual([['1'], ['agreen']]);
    expect((await cases()).map((each) => each.external_id)).toEqual(['agreen']);
  });
});
