import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../test/directory-faults.js';
import { Harness, row } from '../test/harness.js';
import { wholeRun } from '../test/whole-run.js';

let directory: Harness;
let hr: string;
let ad: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
  ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
});

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));
afterAll(() => directory?.close());

const person = (id: string, name: string, mail: string, more: Record<string, string> = {}) =>
  row(id, { display_name: name, email: mail, ...more });

async function cases(): Promise<string[]> {
  const rows = await directory.fixture.rows<{ text: string }>(
    `select r.external_id || ': ' || c.reason || ' (' || c.status || ')' as text
       from review_cases c join source_records r on r.id = c.record_id where c.tenant_id = $1 order by 1`,
    [directory.tenant],
  );
  return rows.map(({ text }) => text);
}

describe('an address that is given to another person', () => {
  const ann = person('1', 'Ann Lee', 'lee@x.org');
  const karl = person('7', 'Karl Lindqvist', 'lee@x.org');

  it.each([
    ['in the export that no longer lists the earlier holder', [[ann], [karl]]],
    ['in an export after it', [[ann], [], [karl]]],
  ])('makes a new identity %s', async (_, exports) => {
    const staying = person('9', 'Mia Rossi', 'mia@x.org');
    for (const records of exports) {
      await wholeRun(directory, hr, [[staying, ...records]]);
      await directory.fixture.rows(`update sync_jobs set status = 'completed'`);
    }
    expect(await directory.identityOf('7')).not.toBe(await directory.identityOf('1'));
    expect((await directory.record('1')).status).toBe('deleted');
    expect(await cases()).toEqual([]);
  });

  it('opens a case while the earlier holder is still listed, also as inactive', async () => {
    await directory.sync(hr, [person('1', 'Ann Lee', 'lee@x.org', { status: 'inactive' })]);
    await directory.sync(ad, [person('a', 'Karl Lindqvist', 'lee@x.org')]);
    expect(await directory.people()).toEqual([['1'], ['a']]);
    expect(await cases()).toEqual(['a: email "lee@x.org" belongs to a person with another name (open)']);
  });

  it('is joined when the operator links the case, and stays joined', async () => {
    await directory.sync(hr, [ann]);
    await directory.sync(ad, [person('a', 'Karl Lindqvist', 'lee@x.org')]);
    const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
      directory.tenant,
    ]);
    const identity_id = await directory.identityOf('1');
    await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'link', identity_id });
    await directory.sync(ad, [person('a', 'Karl L. Lindqvist', 'lee@x.org')]);
    expect(await directory.people()).toEqual([['1', 'a']]);
  });

  it('asks nothing again after the operator has ignored the case', async () => {
    await directory.sync(hr, [ann]);
    await directory.sync(ad, [person('a', 'Karl Lindqvist', 'lee@x.org')]);
    const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
      directory.tenant,
    ]);
    await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'ignore' });
    await directory.sync(ad, [person('a', 'Karl L. Lindqvist', 'lee@x.org')]);
    expect(await cases()).toEqual(['a: email "lee@x.org" belongs to a person with another name (ignored)']);
  });

  it('closes the case when one of them gets another address', async () => {
    await directory.sync(hr, [ann]);
    await directory.sync(ad, [person('a', 'Karl Lindqvist', 'lee@x.org')]);
    await directory.sync(ad, [person('a', 'Karl Lindqvist', 'karl@x.org')]);
    expect(await cases()).toEqual(['a: email "lee@x.org" belongs to a person with another name (settled)']);
  });
});

describe('records with the same address', () => {
  it('are one person after a changed surname, with a nickname, and in a source that lists a new id', async () => {
    await directory.sync(hr, [person('1', 'Ann Lee', 'ann@x.org'), person('2', 'Robert Miller', 'bob@x.org')]);
    await directory.sync(ad, [person('a', 'Ann Berg', 'ann@x.org'), person('b', 'Bob Miller', 'bob@x.org')]);
    expect(await directory.people()).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
  });

  it('stay one person when both names change later', async () => {
    await directory.sync(hr, [person('1', 'Ann Lee', 'ann@x.org')]);
    await directory.sync(ad, [person('a', 'Ann Lee', 'ann@x.org')]);
    await directory.sync(hr, [person('1', 'Joanna Berg', 'ann@x.org')]);
    expect(await directory.people()).toEqual([['1', 'a']]);
    expect(await cases()).toEqual([]);
  });

  it('are three people without a case if they share the mailbox of a team', async () => {
    await directory.sync(hr, [
      person('1', 'Ann Lee', 'crew@x.org'),
      person('2', 'Karl Lindqvist', 'crew@x.org'),
      person('3', 'Mia Rossi', 'crew@x.org'),
    ]);
    expect(await directory.people()).toEqual([['1'], ['2'], ['3']]);
    expect(await cases()).toEqual([]);
  });
});
