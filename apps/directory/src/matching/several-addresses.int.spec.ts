import type { SourceRecord } from '@idsync/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness } from '../../test/harness.js';
import { endJob, wholeRun } from '../../test/whole-run.js';

let directory: Harness;
let hr: string;
let ad: string;
let apps: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
  ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
  apps = await directory.fixture.connector(directory.tenant, { name: 'App', priority: 30, records: 'account' });
});

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));
afterAll(() => directory?.close());

const mailed = (external_id: string, name: string, email: string, ...other_emails: string[]): SourceRecord => ({
  external_id,
  fields: { display_name: [name], email: [email], ...(other_emails.length > 0 && { other_emails }) },
});

const cases = async () => {
  const rows = await directory.fixture.rows<{ text: string }>(
    `select r.external_id || ': ' || c.reason || ' (' || jsonb_array_length(c.candidates) || ')' as text
       from review_cases c join source_records r on r.id = c.record_id
      where c.tenant_id = $1 and c.status = 'open' order by 1`,
    [directory.tenant],
  );
  return rows.map(({ text }) => text);
};

describe('a person with several email addresses', () => {
  it.each<[string, SourceRecord, SourceRecord]>([
    ['another address', mailed('1', 'Ann Lee', 'ann@x.org', 'lee@x.org'), mailed('a', 'Ann Lee', 'lee@x.org')],
    [
      'two other addresses',
      mailed('1', 'Ann Lee', 'a@x.org', 'lee@x.org'),
      mailed('a', 'Ann Lee', 'b@x.org', 'lee@x.org'),
    ],
  ])('is joined by %s, whichever source is read first', async (_what, ofHr, ofAd) => {
    await directory.sync(hr, [ofHr]);
    await directory.sync(ad, [ofAd]);
    expect(await directory.people()).toEqual([['1', 'a']]);
    await directory.newTenant();
    const [first, second] = [
      await directory.fixture.connector(directory.tenant, { priority: 20 }),
      await directory.fixture.connector(directory.tenant, { priority: 10 }),
    ];
    await directory.sync(first, [ofAd]);
    await directory.sync(second, [ofHr]);
    expect(await directory.people()).toEqual([['1', 'a']]);
  });

  it('shows all of them as attributes', async () => {
    await directory.sync(hr, [mailed('1', 'Ann Lee', 'ann@x.org', 'lee@x.org')]);
    const [identity] = await directory.fixture.rows<{ document: string }>(
      'select document from identities where tenant_id = $1',
      [directory.tenant],
    );
    const { attributes } = JSON.parse(identity?.document ?? '') as { attributes: Record<string, string>[] };
    const mails = attributes.filter(({ field_name }) => field_name?.endsWith('mail') || field_name === 'other_emails');
    expect(mails.map(({ field_name, field_value }) => [field_name, field_value])).toEqual([
      ['email', 'ann@x.org'],
      ['other_emails', 'lee@x.org'],
    ]);
  });

  it('is not joined by a role mailbox, nor with a person of another name or in a shared mailbox', async () => {
    await directory.sync(hr, [
      mailed('1', 'Ann Lee', 'ann@x.org', 'info@x.org', 'desk1@x.org'),
      mailed('2', 'Mia Rossi', 'mia@x.org', 'desk1@x.org'),
    ]);
    await directory.sync(ad, [mailed('a', 'Karl Berg', 'karl@x.org', 'info@x.org', 'desk1@x.org', 'ann@x.org')]);
    expect(await directory.people()).toEqual([['1'], ['2'], ['a']]);
    expect(await cases()).toEqual(['a: email "ann@x.org" belongs to a person with another name (1)']);
  });

  it('gives up all of them when leaving, so that a new holder of one of them opens a case', async () => {
    const staying = mailed('9', 'Bo Lind', 'bo@x.org');
    await endJob(
      directory,
      await wholeRun(directory, hr, [[staying, mailed('1', 'Ann Lee', 'ann@x.org', 'lee@x.org')]]),
    );
    await endJob(directory, await wholeRun(directory, hr, [[staying]]));
    await endJob(
      directory,
      await wholeRun(directory, hr, [[staying, mailed('7', 'Ann Lee', 'a.lee@x.org', 'lee@x.org')]]),
    );
    expect(await directory.identityOf('7')).not.toBe(await directory.identityOf('1'));
    expect(await cases()).toEqual(['7: email "lee@x.org" belongs to a deleted record of the same source (1)']);
  });

  it('owns an account with any of them, also one that was read before', async () => {
    await directory.sync(apps, [mailed('x', 'Ann Lee', 'old@x.org', 'lee@x.org')]);
    await directory.sync(hr, [mailed('1', 'Ann Lee', 'ann@x.org', 'lee@x.org')]);
    await directory.sync(apps, [mailed('y', 'Ann Lee', 'ann@x.org')]);
    expect(await directory.people()).toEqual([['1', 'x', 'y']]);
  });

  it('has no account whose addresses belong to two people, which gets a case with both', async () => {
    await directory.sync(hr, [mailed('1', 'Ann Lee', 'ann@x.org'), mailed('2', 'Ann Berg', 'berg@x.org')]);
    await directory.sync(apps, [mailed('x', 'Ann', 'ann@x.org', 'berg@x.org')]);
    expect(await directory.people()).toEqual([['1'], ['2']]);
    expect(await cases()).toEqual(['x: email "ann@x.org" belongs to several people (2)']);
  });
});
