import { defaultMatchingRules, encodeId, type SourceRecord } from '@idsync/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { evaluate, shownFindings, storedFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { endJob, wholeRun } from '../../test/whole-run.js';
import { applyDue } from '../background/due-work.js';

const directory = Harness.ofFile();
let hr: string;
let ad: string;

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));

describe('a person with several email addresses', () => {
  let apps: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
    ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
    apps = await directory.fixture.connector(directory.tenant, { name: 'App', priority: 30, records: 'account' });
  });

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

describe('recycled addresses', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
    ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
  });

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

    it('has the earlier holder as a candidate also if the number belongs to another person', async () => {
      const berg = person('1', 'Karl Berg', 'karl@x.org', { employee_number: '17' });
      const former = person('2', 'Ann Ng', 'ann@x.org', { employee_number: '18' });
      for (const records of [
        [berg, former],
        [berg],
        [berg, person('3', 'Ann Ng', 'ann@x.org', { employee_number: '17' })],
      ]) {
        await wholeRun(directory, hr, [records]);
        await directory.fixture.rows(`update sync_jobs set status = 'completed'`);
      }
      const [found] = await directory.fixture.rows<{ reason: string; candidates: object[] }>(
        'select reason, candidates from review_cases where tenant_id = $1',
        [directory.tenant],
      );
      expect(found).toMatchObject({
        reason: 'employee_number "17" belongs to a person with another name',
        candidates: [
          {
            identity_id: await directory.identityOf('1'),
            evidence: ['employee_number is the same', 'the names have nothing in common'],
          },
          {
            identity_id: await directory.identityOf('2'),
            evidence: ['email is the same', 'another permanent key differs'],
          },
        ],
      });
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

    it('asks nothing again after another candidate has come and gone', async () => {
      const karlIn = (number: string) => person('a', 'Karl Lindqvist', 'lee@x.org', { employee_number: number });
      await directory.sync(hr, [ann, person('3', 'Mia Rossi', 'mia@x.org', { employee_number: '31' })]);
      await directory.sync(ad, [karlIn('')]);
      const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
        directory.tenant,
      ]);
      await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'ignore' });
      await directory.sync(ad, [karlIn('31')]);
      const other = 'a: employee_number "31" belongs to a person with another name';
      const ignored = 'a: email "lee@x.org" belongs to a person with another name (ignored)';
      expect(await cases()).toEqual([ignored, `${other} (open)`]);
      for (const number of ['', '32']) {
        await directory.sync(ad, [karlIn(number)]);
        expect(await cases()).toEqual([ignored, `${other} (settled)`]);
      }
    });

    it('closes the case when one of them gets another address', async () => {
      await directory.sync(hr, [ann]);
      await directory.sync(ad, [person('a', 'Karl Lindqvist', 'lee@x.org')]);
      await directory.sync(ad, [person('a', 'Karl Lindqvist', 'karl@x.org')]);
      expect(await cases()).toEqual(['a: email "lee@x.org" belongs to a person with another name (settled)']);
    });
  });

  describe('a login that is handed to another person', () => {
    const ann = person('1', 'Ann Lee', 'ann@x.org');
    const bob = person('2', 'Bob Stone', 'bob@x.org');
    const login = (name: string, mail: string) => [person('login', name, mail)];
    const opened = ['login: email "bob@x.org" belongs to another person than the one it is linked to (open)'];
    let accounts: string;

    beforeEach(async () => {
      accounts = await directory.fixture.connector(directory.tenant, { name: 'Logins', records: 'account' });
      await directory.sync(hr, [ann]);
      await directory.sync(accounts, login('Ann Lee', 'ann@x.org'));
    });

    it('stays linked, and a case proposes the other person, until the login is changed back', async () => {
      await directory.sync(hr, [bob]);
      await directory.sync(accounts, login('Stone, Bob', 'bob@x.org'));
      expect(await directory.people()).toEqual([['1', 'login'], ['2']]);
      expect(await cases()).toEqual(opened);
      await directory.sync(hr, [person('1', 'Ann Lee', 'ann@x.org', { job_title: 'Clerk' })]);
      expect(await cases()).toEqual(opened);
      await directory.sync(accounts, login('Ann Lee', 'ann@x.org'));
      expect(await cases()).toEqual([opened[0]?.replace('open', 'settled')]);
    });

    it('is a finding that names the case when the first person leaves', async () => {
      await directory.sync(hr, [bob]);
      await directory.sync(accounts, login('Stone, Bob', 'bob@x.org'));
      await directory.sync(hr, [person('1', 'Ann Lee', 'ann@x.org', { status: 'inactive' })]);
      expect(await cases()).toEqual(opened);
      const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
        directory.tenant,
      ]);
      await evaluate(directory);
      const [finding] = await storedFindings(directory);
      expect(finding).toMatchObject({
        kind: 'leaver_with_account',
        evidence: { case_id: encodeId('case', open?.id ?? '') },
      });
      const identity_id = await directory.identityOf('2');
      await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'link', identity_id });
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(['leaver_with_account login: resolved']);
    });

    it('opens the case also if the other person is read later', async () => {
      await directory.sync(accounts, login('Bob Stone', 'bob@x.org'));
      expect(await cases()).toEqual([]);
      await directory.sync(hr, [bob]);
      expect(await cases()).toEqual(opened);
    });

    it('moves when an operator links it', async () => {
      await directory.sync(hr, [bob]);
      await directory.sync(accounts, login('Bob Stone', 'bob@x.org'));
      const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
        directory.tenant,
      ]);
      const identity_id = await directory.identityOf('2');
      await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'link', identity_id });
      expect(await directory.people()).toEqual([['1'], ['2', 'login']]);
    });

    it('opens none if only the address or only the name is that of the other person', async () => {
      await directory.sync(hr, [bob]);
      await directory.sync(accounts, login('Ann Lee', 'bob@x.org'));
      await directory.sync(accounts, login('Bob Stone', 'ann@x.org'));
      await directory.sync(accounts, login('Bob Berg', 'bob@x.org'));
      expect(await cases()).toEqual([]);
    });
  });

  describe('an address of a person who has left', () => {
    const ann = person('1', 'Ann Lee', 'lee@x.org');
    const inactive = person('1', 'Ann Lee', 'lee@x.org', { status: 'inactive' });
    const staying = person('9', 'Mia Rossi', 'mia@x.org');
    const asked = (id: string, status = 'open') => [
      `${id}: email "lee@x.org" belongs to a deleted record of the same source (${status})`,
    ];
    const askedWhileListed = (id: string) => [
      `${id}: email "lee@x.org" belongs to another record of the same source (open)`,
    ];
    const askedOfLeaver = (id: string, status = 'open') => [
      `${id}: email "lee@x.org" belongs to a person who has left (${status})`,
    ];

    async function run(connector: string, ...records: SourceRecord[]): Promise<void> {
      await endJob(directory, await wholeRun(directory, connector, [[staying, ...records]]));
    }

    describe.each([
      ['the same name', person('7', 'Ann Lee', 'lee@x.org')],
      ['no name', row('7', { email: 'lee@x.org' })],
    ])('and a new record with %s', (_name, newcomer) => {
      it.each<[string, SourceRecord[][]]>([
        ['in the export that no longer lists the earlier holder', [[ann], [newcomer]]],
        ['in an export after it', [[ann], [], [newcomer]]],
        ['while the earlier holder is inactive', [[ann], [inactive], [inactive, newcomer]]],
        ['and the earlier holder is inactive before it is no longer listed', [[ann], [inactive, newcomer], [newcomer]]],
      ])('opens a case instead of joining the two %s', async (_when, exports) => {
        for (const records of exports) await run(hr, ...records);
        expect(await directory.people()).toEqual([['1'], ['7'], ['9']]);
        const isListed = exports.at(-1)?.includes(inactive);
        expect(await cases()).toEqual(isListed ? askedWhileListed('7') : asked('7'));
      });

      it.each<[string, (() => Promise<void>)[]]>([
        ['after the leaver', [() => run(hr, inactive), () => run(ad, newcomer)]],
        ['before the leaver', [() => run(ad, newcomer), () => run(hr, inactive)]],
        ['after the leaver was deleted', [() => run(hr, ann), () => run(hr), () => run(ad, newcomer)]],
      ])('opens a case in another source that is read %s', async (_order, runs) => {
        await endJob(directory, await directory.sync(hr, [staying]));
        for (const each of runs) await each();
        expect(await directory.identityOf('7')).not.toBe(await directory.identityOf('1'));
        expect(await cases()).toEqual(askedOfLeaver('7'));
      });
    });

    it('is joined with a new record of the same employee number, as a rejoiner', async () => {
      const number = { employee_number: '17' };
      await run(hr, person('1', 'Ann Lee', 'lee@x.org', number));
      await run(hr);
      await run(hr, person('7', 'Ann Lee', 'lee@x.org', number));
      expect(await directory.people()).toEqual([['1', '7'], ['9']]);
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.rejoiner']);
      expect(await cases()).toEqual([]);
    });

    it('is joined with its own record when the source lists it again', async () => {
      for (const records of [[ann], [], [ann]]) await run(hr, ...records);
      expect(await directory.people()).toEqual([['1'], ['9']]);
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.rejoiner']);
      expect(await cases()).toEqual([]);
    });

    it('is joined with an inactive record of another source', async () => {
      await directory.sync(hr, [inactive]);
      await directory.sync(ad, [person('a', 'Ann Lee', 'lee@x.org', { status: 'inactive' })]);
      expect(await directory.people()).toEqual([['1', 'a']]);
      expect(await cases()).toEqual([]);
    });

    it('does not belong to a leaver while the lifecycle authority lists the person as active', async () => {
      await directory.sync(ad, [person('a', 'Ann Lee', 'lee@x.org', { status: 'inactive' })]);
      await directory.sync(hr, [ann]);
      expect(await directory.people()).toEqual([['1', 'a']]);
      expect(await cases()).toEqual([]);
    });

    it('still links the records that it has linked before, also by new rules', async () => {
      await directory.sync(hr, [ann]);
      await directory.sync(ad, [person('a', 'Ann Lee', 'lee@x.org')]);
      await directory.sync(hr, [inactive]);
      await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
      expect(await directory.people()).toEqual([['1', 'a']]);
      expect(await cases()).toEqual([]);
    });

    it('has a case that stays open when the new record changes, and that makes a rejoiner when it is linked', async () => {
      for (const records of [[ann], [], [person('7', 'Ann Lee', 'lee@x.org')]]) await run(hr, ...records);
      await run(hr, person('7', 'Ann Lee', 'lee@x.org', { job_title: 'Lead' }));
      expect(await cases()).toEqual(asked('7'));
      const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
        directory.tenant,
      ]);
      const identity_id = await directory.identityOf('1');
      await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'link', identity_id });
      expect(await directory.people()).toEqual([['1', '7'], ['9']]);
      expect(await directory.lastEvents(2)).toContain('lifecycle.rejoiner');
    });

    it('has a case that closes when the leaver is purged', async () => {
      for (const records of [[ann], [], [person('7', 'Ann Lee', 'lee@x.org')]]) await run(hr, ...records);
      await applyDue(directory.database, directory.tenant, new Date(Date.now() + 31 * 24 * 60 * 60 * 1_000));
      expect(await directory.people()).toEqual([['7'], ['9']]);
      expect(await cases()).toEqual(asked('7', 'settled'));
      expect(
        await directory.fixture.rows('select * from contested_keys where tenant_id = $1', [directory.tenant]),
      ).toEqual([]);
    });

    it.each([
      ['the same name', person('7', 'Ann Lee', 'lee@x.org'), askedWhileListed('7')],
      ['another name', person('7', 'Karl Berg', 'lee@x.org'), []],
    ])(
      'opens a case with both for a new account while the leaver is listed and the other has %s',
      async (_, holder, own) => {
        const ldap = await directory.fixture.connector(directory.tenant, { name: 'LDAP', records: 'account' });
        await run(hr, ann);
        await run(hr, inactive, holder);
        await directory.sync(ldap, [row('uid=lee', { email: 'lee@x.org' })]);
        expect(await directory.people()).toEqual([['1'], ['7'], ['9']]);
        expect(await cases()).toEqual([...own, 'uid=lee: email "lee@x.org" belongs to several people (open)']);
      },
    );

    it('links an account to the present holder, with or without a case', async () => {
      const ldap = await directory.fixture.connector(directory.tenant, { name: 'LDAP', records: 'account' });
      for (const records of [[ann], [], [person('7', 'Ann Lee', 'lee@x.org')]]) await run(hr, ...records);
      await directory.sync(ldap, [row('uid=lee', { email: 'lee@x.org' })]);
      expect(await directory.people()).toEqual([['1'], ['7', 'uid=lee'], ['9']]);
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
});
