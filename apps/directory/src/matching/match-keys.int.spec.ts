import { defaultMatchingRules, type MatchingRules, type RecordKind } from '@idsync/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';

const directory = Harness.ofFile();
let hr: string;
let ad: string;

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));

describe('corrected numbers', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
    ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20, records: 'account' });
  });

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
});

describe('numbers that move within one run', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
  });

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
});

describe('stop values', () => {
  beforeEach(() => directory.newTenant());

  const stopValues = {
    employee_number: ['N/A', 'n.a.', 'none', '0000', '0', '9999', '-', 'External'],
    email: ['N/A', 'info@x.org', 'Office@x.org', 'no-reply@x.org', 'not an email', 'none@none.org'],
    user_principal_name: ['N/A', 'admin', 'support@x.org', 'not a login', '0000'],
    first_name: ['N/A', 'Unknown', '-', 'FNU', 'test'],
    last_name: ['N/A', 'Unknown', '-', 'LNU', 'N.N.'],
    'attributes.phone': ['N/A', '000000000', '---', 'unknown'],
  };

  /** Links a unique fuzzy match, so that a placeholder could link here too. */
  const trusting: MatchingRules = {
    ...defaultMatchingRules,
    weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' as const })),
  };

  const records = fc.array(
    fc.record(
      Object.fromEntries(Object.entries(stopValues).map(([field, values]) => [field, fc.constantFrom(...values)])),
      { requiredKeys: [] },
    ),
    { minLength: 1, maxLength: 5 },
  );

  const linkedKeys = () =>
    directory.fixture.rows('select kind, value from correlation_keys where tenant_id = $1', [directory.tenant]);

  async function linkedTogether(): Promise<{ records: number }[]> {
    return directory.fixture.rows(
      `select count(*)::int as records from source_records where tenant_id = $1 and identity_id is not null
      group by identity_id having count(*) > 1`,
      [directory.tenant],
    );
  }

  describe('a word in place of a first name', () => {
    it.each(['FNU', 'unknown', '-', 'N.N.', 'Test'])(
      'joins no two people with one number or address: %s',
      async (none) => {
        const keys = { employee_number: '17', email: 'desk@x.org' };
        const [hr, other] = [
          await directory.fixture.connector(directory.tenant, { priority: 10 }),
          await directory.fixture.connector(directory.tenant, { priority: 20 }),
        ];
        await directory.sync(hr, [row('1', { first_name: none, last_name: 'Singh', ...keys })]);
        await directory.sync(other, [row('a', { first_name: none, last_name: 'Otto', ...keys })]);
        expect(await directory.people()).toEqual([['1'], ['a']]);
        await directory.sync(other, [row('a', { first_name: 'Raj', last_name: 'Singh', ...keys })]);
        expect(await directory.people()).toEqual([['1', 'a']]);
      },
    );
  });

  describe('invisible characters and other notations of a key', () => {
    it.each([
      ['1\u200b7', 'ann@x.org'],
      ['１７', '\u202aann@x.org\u202c'],
      ['17\u00a0', 'ann@x.org\ufeff'],
    ])('do not part two records of a person: %j and %j', async (employee_number, email) => {
      const [hr, other] = [
        await directory.fixture.connector(directory.tenant, { priority: 10 }),
        await directory.fixture.connector(directory.tenant, { priority: 20 }),
      ];
      await directory.sync(hr, [row('1', { employee_number: '17' }), row('2', { email: 'ann@x.org' })]);
      await directory.sync(other, [row('a', { employee_number }), row('b', { email })]);
      expect(await directory.people()).toEqual([
        ['1', 'a'],
        ['2', 'b'],
      ]);
    });
  });

  describe('placeholders and role mailboxes', () => {
    it('never link two records of any kind', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(records, { minLength: 4, maxLength: 4 }), async (lists) => {
          await directory.newTenant();
          await directory.operate('rules.change', { rules: trusting, preview: false });
          const kinds: RecordKind[] = ['user', 'user', 'account', 'machine_identity'];
          for (const [at, kind] of kinds.entries()) {
            const connector = await directory.fixture.connector(directory.tenant, { records: kind, priority: at });
            await directory.sync(
              connector,
              (lists[at] ?? []).map((values, place) => row(`${kind}-${at}-${place}`, values as Record<string, string>)),
            );
          }
          expect(await linkedTogether()).toEqual([]);
          expect(await linkedKeys()).toEqual([]);
        }),
        { numRuns: Number(process.env.IDSYNC_PROPERTY_RUNS ?? 15) },
      );
    }, 600_000);

    it('are shown as attributes', async () => {
      const hr = await directory.fixture.connector(directory.tenant);
      await directory.sync(hr, [row('1', { employee_number: 'N/A', email: 'info@x.org' })]);
      const [identity] = await directory.fixture.identities<{
        attributes: { field_name: string; field_value: string }[];
      }>(directory.tenant);
      expect(identity?.attributes.map((each) => [each.field_name, each.field_value])).toEqual([
        ['email', 'info@x.org'],
        ['employee_number', 'N/A'],
      ]);
    });

    it('do not contradict an employee number in a fuzzy match', async () => {
      const hr = await directory.fixture.connector(directory.tenant, { priority: 1 });
      const ldap = await directory.fixture.connector(directory.tenant, { records: 'account', priority: 2 });
      const ann = { first_name: 'Ann', last_name: 'Smith' };
      await directory.sync(hr, [row('1', { ...ann, employee_number: '4711' })]);
      await directory.sync(ldap, [row('ann', { ...ann, employee_number: 'N/A' })]);
      const cases = await directory.fixture.rows('select kind from review_cases where tenant_id = $1', [
        directory.tenant,
      ]);
      expect(cases).toEqual([{ kind: 'weak' }]);
    });
  });
});

describe('match keys of the rules', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
    ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
  });

  const setRules = (parts: Partial<MatchingRules>, preview = false) =>
    directory.operate('rules.change', { rules: { ...defaultMatchingRules, ...parts }, preview });

  const cases = async () => {
    const rows = await directory.fixture.rows<{ text: string }>(
      `select r.external_id || ': ' || c.reason as text
       from review_cases c join source_records r on r.id = c.record_id
      where c.tenant_id = $1 and c.status = 'open' order by 1`,
      [directory.tenant],
    );
    return rows.map(({ text }) => text);
  };

  const byBadge: Partial<MatchingRules> = {
    certain: ['employee_number', 'attributes.badge', 'email'],
    keys: [{ field: 'attributes.badge', normaliser: 'digits', strength: 'permanent' }],
  };
  const badge = (id: string, value: string, more: Record<string, string> = {}) =>
    row(id, { 'attributes.badge': value, ...more });

  describe('an attribute that the rules declare as a match key', () => {
    it('joins stored records when the rules are set, as the preview says, and separates them when they are reverted', async () => {
      await directory.sync(hr, [badge('1', 'B-17'), badge('2', 'B-18')]);
      await directory.sync(ad, [badge('a', '17')]);
      expect((await setRules(byBadge, true)).result).toMatchObject({ identities_joined: 1 });
      expect(await directory.people()).toEqual([['1'], ['2'], ['a']]);
      await setRules(byBadge);
      expect(await directory.people()).toEqual([['1', 'a'], ['2']]);
      await setRules({});
      expect(await directory.people()).toEqual([['1'], ['2'], ['a']]);
    });

    it('links new users and accounts at once, in the notation of its normaliser', async () => {
      await setRules(byBadge);
      const apps = await directory.fixture.connector(directory.tenant, {
        name: 'App',
        priority: 30,
        records: 'account',
      });
      await directory.sync(apps, [badge('x', 'badge 17')]);
      await directory.sync(hr, [badge('1', 'B-17')]);
      await directory.sync(ad, [badge('a', '17')]);
      expect(await directory.people()).toEqual([['1', 'a', 'x']]);
    });

    it('that is permanent keeps two people apart who share an address, and asks about two numbers', async () => {
      await setRules(byBadge);
      await directory.sync(hr, [badge('1', '17', { email: 'lee@x.org', employee_number: '1' })]);
      await directory.sync(ad, [badge('a', '18', { email: 'lee@x.org' }), badge('b', '17', { employee_number: '2' })]);
      expect(await directory.people()).toEqual([['1'], ['a'], ['b']]);
      expect(await cases()).toEqual(['b: attributes.badge "17" belongs to a person with another permanent key']);
    });

    it('that is permanent recognises a person who returns, and one that is reusable asks', async () => {
      const returned = async (parts: Partial<MatchingRules>) => {
        await setRules(parts);
        await directory.sync(hr, [badge('1', '17', { status: 'inactive', display_name: 'Ann Lee' })]);
        await directory.sync(ad, [badge('a', '17', { display_name: 'Ann Lee' })]);
        return directory.people();
      };
      expect(await returned(byBadge)).toEqual([['1', 'a']]);
      await directory.newTenant();
      hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
      ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
      expect(await returned({ ...byBadge, keys: [{ field: 'attributes.badge', normaliser: 'digits' }] })).toEqual([
        ['1'],
        ['a'],
      ]);
      expect(await cases()).toEqual(['a: attributes.badge "17" belongs to a person who has left']);
    });
  });

  describe('an employee number without leading zeros', () => {
    const rules: Partial<MatchingRules> = {
      keys: [{ field: 'employee_number', normaliser: 'number_without_zeros' }],
    };

    it('joins 0017 and 17, which are two people by default', async () => {
      await directory.sync(hr, [row('1', { employee_number: '0017' })]);
      await directory.sync(ad, [row('a', { employee_number: '17' })]);
      expect(await directory.people()).toEqual([['1'], ['a']]);
      await setRules(rules);
      expect(await directory.people()).toEqual([['1', 'a']]);
    });

    it.each(['17', '0017'])('is found by a machine that names its owner %s, whichever is read first', async (owner) => {
      await setRules(rules);
      const bots = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
      await directory.sync(bots, [row('before', { owned_by: owner })]);
      await directory.sync(hr, [row('1', { employee_number: '0017' })]);
      await directory.sync(bots, [row('before', { owned_by: owner }), row('after', { owned_by: owner })]);
      expect(await directory.people()).toEqual([['1', 'after', 'before']]);
    });
  });

  describe('a stop value of the tenant', () => {
    it('links nothing, and separates what it had joined when the rules are set', async () => {
      await directory.sync(hr, [
        row('1', { employee_number: '4711', email: 'a@x.org' }),
        row('2', { email: 'lobby@x.org' }),
      ]);
      await directory.sync(ad, [row('a', { employee_number: '4711' }), row('b', { email: 'lobby@x.org' })]);
      expect(await directory.people()).toEqual([
        ['1', 'a'],
        ['2', 'b'],
      ]);
      const stop_values: MatchingRules['stop_values'] = [
        { field: 'employee_number', values: ['4711'] },
        { field: 'email', values: ['lobby'] },
      ];
      expect((await setRules({ stop_values }, true)).result).toMatchObject({ identities_parted: 2 });
      await setRules({ stop_values });
      expect(await directory.people()).toEqual([['1'], ['2'], ['a'], ['b']]);
    });

    it('is not compared by fuzzy rules', async () => {
      await setRules({ stop_values: [{ field: 'attributes.phone', values: ['+47 22 00 00 11'] }] });
      await directory.sync(hr, [row('1', { display_name: 'Ann Lee', 'attributes.phone': '22000011' })]);
      await directory.sync(ad, [row('a', { display_name: 'Bo Lind', 'attributes.phone': '+47 22000011' })]);
      expect(await cases()).toEqual([]);
    });
  });
});
