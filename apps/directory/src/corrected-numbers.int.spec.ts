import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../test/directory-faults.js';
import { Harness, row } from '../test/harness.js';

let directory: Harness;
let hr: string;
let ad: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
  ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20, records: 'account' });
});

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));
afterAll(() => directory?.close());

const ann = (number: string) => row('ann', { display_name: 'Ann Lee', employee_number: number });
const bo = (number: string) => row('bo', { display_name: 'Bo Lee', employee_number: number });
const account = (number: string) => row('blee', { display_name: 'Bo Lee', employee_number: number });

const cases = async () => {
  const rows = await directory.fixture.rows<{ id: string; text: string; candidates: { identity_id: string }[] }>(
    `select c.id, r.external_id || ': ' || c.reason || ' (' || c.status || ')' as text, c.candidates
       from review_cases c join source_records r on r.id = c.record_id where c.tenant_id = $1 order by c.id`,
    [directory.tenant],
  );
  return rows;
};
const shownCases = async () => (await cases()).map(({ text }) => text);
const open = 'blee: employee_number "17" belongs to another person than the one it is linked to (open)';

describe('an account whose employee number belongs to another person by now', () => {
  beforeEach(async () => {
    await directory.sync(hr, [ann('17')]);
    await directory.sync(ad, [account('17')]);
    await directory.sync(hr, [ann('18'), bo('17')]);
  });

  it('stays with its person and has a case that proposes the other one', async () => {
    expect(await directory.identityOf('blee')).toBe(await directory.identityOf('ann'));
    expect(await shownCases()).toEqual([open]);
    const [found] = await cases();
    expect(found?.candidates).toMatchObject([{ identity_id: await directory.identityOf('bo') }]);
  });

  it('has one case, however often its records change', async () => {
    await directory.sync(ad, [row('blee', { display_name: 'B. Lee', employee_number: '17' })]);
    await directory.sync(hr, [row('ann', { display_name: 'Anne Lee', employee_number: '18' })]);
    await directory.sync(hr, [row('bo', { display_name: 'Bob Lee', employee_number: '17' })]);
    expect(await shownCases()).toEqual([open]);
  });

  it('is moved by a link of the case', async () => {
    const [found] = await cases();
    const identity_id = await directory.identityOf('bo');
    await directory.operate('case.resolve', { case_id: found?.id ?? '', resolution: 'link', identity_id });
    expect(await directory.identityOf('blee')).toBe(identity_id);
    expect(await shownCases()).toEqual([open.replace('open', 'linked')]);
  });

  it('has a settled case when the number is corrected back', async () => {
    await directory.sync(hr, [ann('17'), bo('18')]);
    expect(await shownCases()).toEqual([open.replace('open', 'settled')]);
  });

  it('has a settled case when the account gets the number of its person', async () => {
    await directory.sync(ad, [account('18')]);
    expect(await directory.identityOf('blee')).toBe(await directory.identityOf('ann'));
    expect(await shownCases()).toEqual([open.replace('open', 'settled')]);
  });
});

it('an account stays without a case while no other person has its number', async () => {
  await directory.sync(hr, [ann('17')]);
  await directory.sync(ad, [account('17')]);
  await directory.sync(hr, [ann('18')]);
  expect(await directory.identityOf('blee')).toBe(await directory.identityOf('ann'));
  expect(await shownCases()).toEqual([]);
});
