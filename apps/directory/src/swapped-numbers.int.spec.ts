import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../test/directory-faults.js';
import { Harness, row } from '../test/harness.js';

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
