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

  it('has a settled case while the number belongs to two other people', async () => {
    const cy = (number: string) => row('cy', { display_name: 'Cy Berg', employee_number: number });
    const ofAccount = async () => (await shownCases()).filter((text) => text.startsWith('blee:'));
    await directory.sync(hr, [cy('17')]);
    expect(await ofAccount()).toEqual([open.replace('open', 'settled')]);
    await directory.sync(hr, [cy('19')]);
    expect(await ofAccount()).toEqual([open.replace('open', 'settled'), open]);
  });

  it('has a settled case when the account gets the number of its person', async () => {
    await directory.sync(ad, [account('18')]);
    expect(await directory.identityOf('blee')).toBe(await directory.identityOf('ann'));
    expect(await shownCases()).toEqual([open.replace('open', 'settled')]);
  });
});

it('an account that was read before HR has a case when the owner of its number arrives', async () => {
  const payroll = await directory.fixture.connector(directory.tenant, { name: 'Payroll', priority: 30 });
  await directory.sync(payroll, [row('p1', { display_name: 'Ann Lee', email: 'lee@x.org' })]);
  await directory.sync(ad, [row('blee', { display_name: 'Bo Lee', employee_number: '17', email: 'lee@x.org' })]);
  expect(await directory.identityOf('blee')).toBe(await directory.identityOf('p1'));
  await directory.sync(hr, [bo('17')]);
  expect(await directory.identityOf('blee')).toBe(await directory.identityOf('p1'));
  expect(await shownCases()).toEqual([open]);
});

it('an account stays without a case while no other person has its number', async () => {
  await directory.sync(hr, [ann('17')]);
  await directory.sync(ad, [account('17')]);
  await directory.sync(hr, [ann('18')]);
  expect(await directory.identityOf('blee')).toBe(await directory.identityOf('ann'));
  expect(await shownCases()).toEqual([]);
});

describe('a user whose corrected number contradicts the person that it is linked to', () => {
  let people: string;
  const user = (fields: Record<string, string>) => row('blee', { display_name: 'Bo Lee', ...fields });
  const shared = { email: 'lee@x.org' };
  const changed = 'blee: employee_number "18" differs from that of the person it is linked to (open)';
  const hrList = (more: Record<string, string> = {}) => [
    row('ann', { display_name: 'Ann Lee', employee_number: '17', ...more }),
    bo('18'),
  ];

  beforeEach(async () => {
    people = await directory.fixture.connector(directory.tenant, { name: 'People', priority: 30 });
  });

  const link = async (fields: Record<string, string> = {}) => {
    await directory.sync(hr, hrList(fields));
    await directory.sync(people, [user({ employee_number: '17', ...fields })]);
    expect(await directory.identityOf('blee')).toBe(await directory.identityOf('ann'));
  };

  it('is joined with the person who has the number if nothing else connects it', async () => {
    await link();
    const [ann, bos] = [await directory.identityOf('ann'), await directory.identityOf('bo')];
    await directory.sync(people, [user({ employee_number: '18' })]);
    expect(await directory.people()).toEqual([['ann'], ['blee', 'bo']]);
    expect([await directory.identityOf('ann'), await directory.identityOf('bo')]).toEqual([ann, bos]);
    expect(await shownCases()).toEqual([]);
  });

  it('is a separate person if no other user has the number', async () => {
    await link();
    await directory.sync(people, [user({ employee_number: '19' })]);
    expect(await directory.identityOf('blee')).not.toBe(await directory.identityOf('ann'));
    expect(await directory.lastEvents(20)).toContain('identity.split');
  });

  it('stays with a case that proposes both people if another key still connects it', async () => {
    await link(shared);
    await directory.sync(people, [user({ employee_number: '18', ...shared })]);
    expect(await directory.people()).toEqual([['ann', 'blee'], ['bo']]);
    expect(await shownCases()).toEqual([changed]);
    const [found] = await cases();
    expect(found?.candidates.map(({ identity_id }) => identity_id)).toEqual([
      await directory.identityOf('bo'),
      await directory.identityOf('ann'),
    ]);
  });

  it.each([
    ['link', 'ann', [['ann', 'blee'], ['bo']]],
    ['link', 'bo', [['ann'], ['blee', 'bo']]],
    ['new', undefined, [['ann'], ['blee'], ['bo']]],
  ] as const)('is decided by %s %s', async (resolution, to, expected) => {
    await link(shared);
    await directory.sync(people, [user({ employee_number: '18', ...shared })]);
    const [found] = await cases();
    const identity_id = to && (await directory.identityOf(to));
    await directory.operate('case.resolve', {
      case_id: found?.id ?? '',
      resolution,
      ...(identity_id !== undefined && { identity_id }),
    });
    expect(await directory.people()).toEqual(expected);
    await directory.sync(people, [user({ employee_number: '18', job_title: 'Clerk', ...shared })]);
    expect(await directory.people()).toEqual(expected);
    expect(await shownCases()).not.toContain(changed);
  });

  it('has a settled case when the other source has the number too', async () => {
    await link(shared);
    await directory.sync(people, [user({ employee_number: '19', ...shared })]);
    await directory.sync(hr, [row('ann', { display_name: 'Ann Lee', employee_number: '19', ...shared }), bo('18')]);
    expect(await directory.people()).toEqual([['ann', 'blee'], ['bo']]);
    expect(await shownCases()).toEqual([changed.replace('18', '19').replace('open', 'settled')]);
  });

  it('joins no further record while its case is open', async () => {
    await link(shared);
    await directory.sync(people, [user({ employee_number: '18', ...shared })]);
    const payroll = await directory.fixture.connector(directory.tenant, { name: 'Payroll', priority: 40 });
    await directory.sync(payroll, [row('p1', { display_name: 'Bo Lee', employee_number: '17' })]);
    expect(await directory.people()).toEqual([['ann', 'blee'], ['bo'], ['p1']]);
  });
});
