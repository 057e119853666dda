import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';

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

const dee = { display_name: 'Dee Dorn', email: 'dee.dorn@acme.example' };
const record = (id: string, employee_number?: string) =>
  row(id, { ...dee, ...(employee_number && { employee_number }) });

describe('a number that moves from one record to another of the same name within one run', () => {
  // The records 4 and 8 are two employments of one person.
  beforeEach(async () => {
    await directory.sync(hr, [record('2'), record('4', 'n4'), record('8', 'n4')]);
    expect(await directory.people()).toEqual([['2'], ['4', '8']]);
  });

  const one = record('2', 'n4');
  const others = [record('4'), record('8', 'n4')];
  const linked = () => Promise.all(['2', '4', '8'].map((id) => directory.identityOf(id)));

  it('leaves the links of earlier runs as they are', async () => {
    const before = await linked();
    await directory.sync(hr, [one, ...others]);
    expect(await linked()).toEqual(before);
  });

  it.each([
    ['first', [[one], others]],
    ['last', [others, [one]]],
  ])('leaves them also if batches divide the run, with the new holder %s', async (_, batches) => {
    const before = await directory.identityOf('2');
    await directory.syncInBatches(hr, batches);
    expect(await directory.people()).toEqual([['2'], ['4', '8']]);
    expect(await directory.identityOf('2')).toBe(before);
  });

  it('joins the records if the run leaves both with the number, and they remain joined', async () => {
    await directory.syncInBatches(hr, [[one], [record('4', 'n4')]]);
    expect(await directory.people()).toEqual([['2', '4', '8']]);
    await directory.sync(hr, [one, record('4'), record('8')]);
    expect(await directory.people()).toEqual([['2', '4', '8']]);
  });
});

describe('a number that moves to the person of an account within one run', () => {
  const ann = (employee_number?: string) =>
    row('2', { email: 'ann.lee@acme.example', ...(employee_number && { employee_number }) });
  const finn = (employee_number?: string) =>
    row('3', {
      display_name: 'Finn Hale',
      email: 'finn.hale@acme.example',
      user_principal_name: 'fhale',
      ...(employee_number && { employee_number }),
    });
  const login = row('5', { display_name: 'Finn Hale', user_principal_name: 'fhale' });

  beforeEach(async () => {
    const logins = await directory.fixture.connector(directory.tenant, {
      name: 'Logins',
      priority: 20,
      records: 'account',
    });
    await directory.sync(hr, [ann('n1'), finn()]);
    await directory.sync(logins, [login]);
    expect(await directory.people()).toEqual([['2'], ['3', '5']]);
  });

  it.each(['by its keys', 'by an operator'])('leaves an account that is linked %s with its person', async (by) => {
    if (by === 'by an operator') {
      const { id, identity_id: into_id } = await directory.record('5');
      await directory.operate('identity.split', { identity_id: into_id, record_ids: [id] });
      await directory.operate('identity.merge', { into_id, from_ids: [await directory.identityOf('5')] });
      expect(await directory.people()).toEqual([['2'], ['3', '5']]);
    }
    const linked = () => Promise.all(['2', '3', '5'].map((id) => directory.identityOf(id)));
    const before = await linked();
    await directory.syncInBatches(hr, [[finn('n1')], [ann()]]);
    expect(await linked()).toEqual(before);
  });

  it('leaves an account with its person who joins another one, although a new record has its number', async () => {
    const numbers = await directory.fixture.connector(directory.tenant, {
      name: 'Apps',
      priority: 30,
      records: 'account',
    });
    const name = { display_name: 'Cy Berg' };
    await directory.sync(hr, [
      row('1', { ...name, employee_number: 'n3' }),
      row('4', { ...name, employee_number: 'n4' }),
    ]);
    await directory.sync(numbers, [row('6', { employee_number: 'n3' })]);
    const joined = row('1', { ...name, employee_number: 'n4' });
    await directory.syncInBatches(hr, [
      [row('7', { ...name, employee_number: 'n3' })],
      [joined, row('4', { ...name, employee_number: 'n4' })],
    ]);
    expect(await directory.people()).toEqual([['1', '4', '6'], ['2'], ['3', '5'], ['7']]);
  });
});
