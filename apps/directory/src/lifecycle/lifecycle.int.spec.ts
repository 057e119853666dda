import {
  defaultLifecyclePolicy,
  defaultMatchingRules,
  type LifecyclePolicy,
  type MatchingRules,
  type SourceRecord,
} from '@idsync/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { evaluate, shownFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { endJob, wholeRun } from '../../test/whole-run.js';
import { applyDue } from '../background/due-work.js';

const directory = Harness.ofFile();
let hr: string;

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));

describe('one employment', () => {
  let ad: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
    ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
  });

  const day = (date: string) => `${date}T00:00:00.000Z`;
  const ann = (fields: Record<string, string>) => [row('ann', { email: 'ann@x.org', ...fields })];
  const clockAt = (time: string) => applyDue(directory.database, directory.tenant, new Date(time));
  const setPolicy = (policy: Partial<LifecyclePolicy>, at: string) =>
    directory.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, ...policy } }, at);

  async function statusOfAnn(): Promise<string | undefined> {
    const id = await directory.identityOf('ann');
    const [identity] = await directory.fixture.rows<{ status: string }>('select status from identities where id = $1', [
      id,
    ]);
    return identity?.status;
  }

  describe('the lifecycle authority', () => {
    it('makes a person inactive as the first source says, although another source lists them as active', async () => {
      await directory.sync(hr, ann({ status: 'active' }));
      await directory.sync(ad, [row('aad', { email: 'ann@x.org', status: 'active' })]);
      await directory.sync(hr, ann({ status: 'inactive' }));
      expect(await statusOfAnn()).toBe('inactive');
      expect(await directory.lastEvents(3)).toEqual([
        'user.status_changed',
        'identity.status_changed',
        'lifecycle.leaver',
      ]);
    });

    it('does not follow the status of a source with a lower precedence', async () => {
      await directory.sync(hr, ann({ status: 'active' }));
      await directory.sync(ad, [row('aad', { email: 'ann@x.org', status: 'inactive' })]);
      expect(await statusOfAnn()).toBe('active');
      expect(await directory.lastEvents(9)).not.toContain('lifecycle.leaver');
    });

    it('is another source from when the tenant gives it the precedence for `status`', async () => {
      await directory.sync(hr, ann({ status: 'active' }));
      await directory.sync(ad, [row('aad', { email: 'ann@x.org', status: 'inactive' })]);
      const priorities = [{ field: 'status', connector_id: ad, priority: 1 }];
      expect(await directory.operate('attributes.rank', { priorities })).toMatchObject({
        result: { identities_changed: 1 },
      });
      expect(await statusOfAnn()).toBe('inactive');
      expect(await directory.lastEvents(2)).toEqual(['identity.status_changed', 'lifecycle.leaver']);
    });
  });

  describe('dates of an employment', () => {
    it('keep a person pending before the hire date although the source says active', async () => {
      await directory.sync(hr, ann({ status: 'active', hire_date: day('2026-03-01') }), '2026-02-01T00:00:00Z');
      expect(await statusOfAnn()).toBe('pending');
      expect(await clockAt('2026-02-28T23:59:59Z')).toBe(0);
      expect(await clockAt('2026-03-01T00:00:00Z')).toBe(1);
      expect(await statusOfAnn()).toBe('active');
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.joiner']);
    });

    it('end at the end of the termination date, without a word from the source, and begin the grace period then', async () => {
      const leaves = { status: 'active', termination_date: day('2026-03-31') };
      await directory.sync(hr, ann(leaves), '2026-02-01T00:00:00Z');
      expect(await clockAt('2026-03-31T23:59:59Z')).toBe(0);
      expect(await clockAt('2026-04-01T00:00:00Z')).toBe(1);
      expect(await statusOfAnn()).toBe('inactive');
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.leaver']);
      const [leaver] = await directory.fixture.rows<{ reason: string }>(
        `select details ->> 'reason' as reason from events where tenant_id = $1 and type = 'lifecycle.leaver'`,
        [directory.tenant],
      );
      expect(leaver?.reason).toBe('termination_date');
      expect(await clockAt('2026-04-30T23:59:59Z')).toBe(0);
      expect(await clockAt('2026-05-01T00:00:00Z')).toBe(1);
      expect(await statusOfAnn()).toBe('deleted');
    });

    it.each(['9999-12-31', '0001-01-01'])(
      'leave a person active if the termination date %s stands for none',
      async (date) => {
        await directory.sync(hr, ann({ status: 'active', termination_date: day(date) }), '2026-02-01T00:00:00Z');
        expect(await statusOfAnn()).toBe('active');
        expect(await clockAt('2026-12-31T00:00:00Z')).toBe(0);
      },
    );

    it('let a person return by a hire date after the termination date', async () => {
      await directory.sync(hr, ann({ termination_date: day('2026-03-31') }), '2026-04-02T00:00:00Z');
      expect(await statusOfAnn()).toBe('inactive');
      const again = { termination_date: day('2026-03-31'), hire_date: day('2026-04-10') };
      await directory.sync(hr, ann(again), '2026-04-03T00:00:00Z');
      expect(await statusOfAnn()).toBe('pending');
      expect(await clockAt('2026-04-10T00:00:00Z')).toBe(1);
      expect(await statusOfAnn()).toBe('active');
    });
  });

  describe('a change of the lifecycle policy', () => {
    it('applies another time zone to people who are already known', async () => {
      await directory.sync(hr, ann({ hire_date: day('2026-03-01') }), '2026-02-28T12:00:00Z');
      const zone = { time_zone: 'Pacific/Kiritimati' };
      expect(await setPolicy(zone, '2026-02-28T12:00:00Z')).toMatchObject({ result: { identities_changed: 1 } });
      expect(await statusOfAnn()).toBe('active');
      const own = { ...zone, connector_time_zones: [{ connector_id: hr, time_zone: 'Europe/Oslo' }] };
      await setPolicy(own, '2026-02-28T12:30:00Z');
      expect(await statusOfAnn()).toBe('pending');
      expect(await clockAt('2026-02-28T22:59:59Z')).toBe(0);
      expect(await clockAt('2026-02-28T23:00:00Z')).toBe(1);
      expect(await statusOfAnn()).toBe('active');
    });

    it('activates people the given number of days before their hire date', async () => {
      await directory.sync(hr, ann({ hire_date: day('2026-03-10') }), '2026-03-01T00:00:00Z');
      await setPolicy({ start_days_before: 3 }, '2026-03-01T00:00:00Z');
      expect(await statusOfAnn()).toBe('pending');
      expect(await clockAt('2026-03-07T00:00:00Z')).toBe(1);
      expect(await statusOfAnn()).toBe('active');
    });

    it('changes how long leavers and their deleted records stay', async () => {
      await directory.sync(hr, ann({ status: 'inactive' }), '2026-01-01T00:00:00Z');
      await directory.sync(ad, [row('bob', { status: 'deleted' }), row('eve', {})], '2026-01-01T00:00:00Z');
      await directory.sync(ad, [row('eve', { status: 'deleted' })], '2026-01-01T00:00:00Z');
      await setPolicy({ grace_days: 2, retention_days: 1 }, '2026-01-01T06:00:00Z');
      expect(await clockAt('2026-01-01T23:00:00Z')).toBe(0);
      expect(await clockAt('2026-01-02T00:00:00Z')).toBe(1);
      await expect(directory.record('eve')).rejects.toThrow('there is no record eve');
      expect(await clockAt('2026-01-03T00:00:00Z')).toBe(1);
      expect(await statusOfAnn()).toBe('deleted');
    });

    it('that changes nothing for a person writes nothing about them', async () => {
      await directory.sync(hr, ann({ hire_date: day('2026-01-01') }), '2026-03-01T00:00:00Z');
      const events = await directory.lastEvents(9);
      expect(await setPolicy({ grace_days: 60 }, '2026-03-02T00:00:00Z')).toMatchObject({
        result: { identities_changed: 0 },
      });
      expect(await directory.lastEvents(9)).toEqual(events);
    });
  });
});

describe('several employments in one source', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
  });

  const contract = (id: string, more: Record<string, string> = {}) =>
    row(id, { display_name: 'Ann Lee', employee_number: '17', email: 'ann@x.org', ...more });
  const old = contract('1', {
    status: 'inactive',
    job_title: 'Intern',
    hire_date: '2019-01-01T00:00:00.000Z',
    termination_date: '2020-12-31T00:00:00.000Z',
  });
  const current = contract('2', { status: 'active', job_title: 'Engineer', hire_date: '2024-03-01T00:00:00.000Z' });
  const others = Array.from({ length: 4 }, (_, at) => row(`other-${at}`, { display_name: `Person ${at}` }));

  async function run(...batches: SourceRecord[][]): Promise<string> {
    const job = await wholeRun(directory, hr, [...batches, others]);
    await endJob(directory, job);
    return job;
  }

  /** Status and winning values of the identity of a record. */
  async function shown(externalId: string): Promise<Record<string, string>> {
    const [identity] = await directory.fixture.rows<{ document: string }>(
      'select document from identities where id = $1',
      [await directory.identityOf(externalId)],
    );
    const { status, attributes } = JSON.parse(identity?.document ?? '{}') as {
      status: string;
      attributes: { field_name: string; field_value: string }[];
    };
    const values = attributes.filter(({ field_name }) => /title|date/.test(field_name));
    return Object.fromEntries([['status', status], ...values.map((each) => [each.field_name, each.field_value])]);
  }

  const lifecycleOf = async (externalId: string) => {
    const rows = await directory.fixture.rows<{ type: string }>(
      `select type from events where identity_id = $1 and type like 'lifecycle.%er' and type <> 'lifecycle.mover' order by sequence`,
      [await directory.identityOf(externalId)],
    );
    return rows.map(({ type }) => type);
  };

  const cases = async () => {
    const rows = await directory.fixture.rows<{ text: string }>(
      `select r.external_id || ': ' || c.reason || ' (' || c.status || ')' as text
       from review_cases c join source_records r on r.id = c.record_id where c.tenant_id = $1 order by 1`,
      [directory.tenant],
    );
    return rows.map(({ text }) => text);
  };

  const contracts = async () => (await directory.people()).filter((names) => !names[0]?.startsWith('other'));

  describe('several contracts of one person in one source', () => {
    const engineer = { status: 'active', job_title: 'Engineer', hire_date: '2024-03-01T00:00:00.000Z' };

    it.each<[string, SourceRecord[][]]>([
      ['the earlier contract first', [[old, current]]],
      ['the current contract first', [[current, old]]],
      ['the earlier contract on an earlier page', [[old], [current]]],
      ['the current contract on an earlier page', [[current], [old]]],
    ])('are one person who shows the current contract and joins once, with %s', async (_order, batches) => {
      await run(...batches);
      expect(await contracts()).toEqual([['1', '2']]);
      expect(await shown('1')).toEqual(engineer);
      expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner']);
      expect(await cases()).toEqual([]);
    });

    it('are one person with lifecycle.rejoiner if the current contract arrives in a later run', async () => {
      await run([contract('1')]);
      await run([old]);
      expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner', 'lifecycle.leaver']);
      await run([old, current]);
      expect(await contracts()).toEqual([['1', '2']]);
      expect(await shown('1')).toEqual(engineer);
      expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner', 'lifecycle.leaver', 'lifecycle.rejoiner']);
    });

    it('are one person whose last name has changed', async () => {
      await run([old, contract('2', { display_name: 'Ann Berg', job_title: 'Lead' })]);
      expect(await contracts()).toEqual([['1', '2']]);
    });

    it('stay one active person when the source no longer lists the earlier contract', async () => {
      await run([old, current]);
      await run([current]);
      expect(await contracts()).toEqual([['1', '2']]);
      expect(await shown('2')).toEqual(engineer);
      expect(await lifecycleOf('2')).toEqual(['lifecycle.joiner']);
    });

    it('are one person if both are active, who shows the contract with the latest hire date', async () => {
      await run([contract('1', { hire_date: '2025-01-01T00:00:00.000Z', job_title: 'Lead' }), current]);
      expect(await contracts()).toEqual([['1', '2']]);
      expect((await shown('1')).job_title).toBe('Lead');
    });

    it('show the other contract as soon as the primary one has ended', async () => {
      await run([contract('1', { job_title: 'Teacher' }), current]);
      await run([contract('1', { job_title: 'Teacher' }), contract('2', { status: 'inactive' })]);
      expect(await shown('1')).toEqual({ status: 'active', job_title: 'Teacher' });
      expect(await lifecycleOf('1')).toEqual(['lifecycle.joiner']);
    });

    it('are joined with the record of another source by their number', async () => {
      const ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
      await directory.sync(ad, [row('a', { display_name: 'Ann Lee', employee_number: '17' })]);
      await run([old, current]);
      expect(await contracts()).toEqual([['1', '2', 'a']]);
    });

    it('are one person by stored rules that lack the setting', async () => {
      const { certain, weak } = defaultMatchingRules;
      await directory.fixture.rows('insert into matching_rules (tenant_id, rules, updated_at) values ($1, $2, now())', [
        directory.tenant,
        JSON.stringify({ certain, weak }),
      ]);
      await run([old, current]);
      expect(await contracts()).toEqual([['1', '2']]);
    });

    it('stay two people after an operator has split them', async () => {
      await run([old, current]);
      const { id, identity_id } = await directory.record('2');
      await directory.operate('identity.split', { identity_id, record_ids: [id] });
      await run([contract('1', { status: 'inactive' }), contract('2', { job_title: 'Lead' })]);
      expect(await contracts()).toEqual([['1'], ['2']]);
    });
  });

  describe('two records of one source that may be one person', () => {
    it.each<[string, Record<string, string>, string[]]>([
      [
        'a number and other names',
        { display_name: 'Karl Berg' },
        ['2: employee_number "17" belongs to a person with another name (open)'],
      ],
      [
        'a number and the last name only',
        { display_name: 'Karl Lee' },
        ['2: employee_number "17" belongs to a person with another name (open)'],
      ],
      [
        'an address and the name',
        { employee_number: '' },
        ['2: email "ann@x.org" belongs to another record of the same source (open)'],
      ],
      ['an address and other names', { employee_number: '', display_name: 'Karl Berg' }, []],
      [
        'an address and the name, with another number',
        { employee_number: '18' },
        ['2: email "ann@x.org" belongs to a person with another permanent key (open)'],
      ],
      ['an address and the surname, with another number', { employee_number: '18', display_name: 'Karl Lee' }, []],
    ])('are not joined if they share %s', async (_what, more, expected) => {
      const other = contract('2', more);
      const fields = Object.entries(other.fields).filter(([, [value]]) => value !== '');
      await run([contract('1'), { ...other, fields: Object.fromEntries(fields) }]);
      expect(await contracts()).toEqual([['1'], ['2']]);
      expect(await cases()).toEqual(expected);
    });

    it('are three people with a case for each newer one if only their number is the same', async () => {
      const named = (id: string, display_name: string) => row(id, { display_name, employee_number: '17' });
      await run([named('1', 'Ann Lee')], [named('2', 'Karl Berg')], [named('3', 'Mia Rossi')]);
      expect(await contracts()).toEqual([['1'], ['2'], ['3']]);
      expect(await cases()).toEqual([
        '2: employee_number "17" belongs to a person with another name (open)',
        '3: employee_number "17" belongs to a person with another name (open)',
      ]);
    });

    it('stay apart with a case for the newer record if the rules say case, and are joined by a link of it', async () => {
      const rules = { ...defaultMatchingRules, several_employments: 'case' as const };
      await directory.operate('rules.change', { rules, preview: false });
      await run([old], [current]);
      expect(await contracts()).toEqual([['1'], ['2']]);
      expect(await cases()).toEqual(['2: employee_number "17" belongs to another record of the same source (open)']);
      const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
        directory.tenant,
      ]);
      const identity_id = await directory.identityOf('1');
      await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'link', identity_id });
      expect(await contracts()).toEqual([['1', '2']]);
      expect((await shown('1')).job_title).toBe('Engineer');
    });

    it('are joined and separated by a change of the rules', async () => {
      await run([old, current]);
      const rules = { ...defaultMatchingRules, several_employments: 'case' as const };
      const { result } = await directory.operate('rules.change', { rules, preview: false });
      expect(result).toMatchObject({ identities_parted: 1 });
      expect(await contracts()).toEqual([['1'], ['2']]);
      await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
      expect(await contracts()).toEqual([['1', '2']]);
    });
  });
});

describe('employments in several sources', () => {
  let contractors: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10, employments: true });
    contractors = await directory.fixture.connector(directory.tenant, { priority: 20, employments: true });
  });

  const person = (id: string, more: Record<string, string>) =>
    row(id, { employee_number: '17', last_name: 'Lee', ...more });
  const contract = person('c1', { termination_date: '2026-12-31T00:00:00.000Z', job_title: 'Contractor' });
  const employment = person('17', { hire_date: '2027-01-01T00:00:00.000Z', job_title: 'Engineer' });

  async function shown(): Promise<Record<string, string>> {
    const [identity] = await directory.fixture.rows<{ document: string }>(
      'select document from identities where tenant_id = $1',
      [directory.tenant],
    );
    const { status, attributes } = JSON.parse(identity?.document ?? '{}');
    const values = (attributes as { field_name: string; field_value: string }[])
      .filter(({ field_name }) => /title|date/.test(field_name))
      .map((each) => [each.field_name, each.field_value.slice(0, 10)]);
    return { status, ...Object.fromEntries(values) };
  }

  async function lifecycle(): Promise<string[]> {
    const rows = await directory.fixture.rows<{ type: string }>(
      `select type from events where tenant_id = $1 and type in ('lifecycle.joiner', 'lifecycle.leaver', 'lifecycle.rejoiner') order by sequence`,
      [directory.tenant],
    );
    return rows.map(({ type }) => type);
  }

  async function conflicts(at: string): Promise<string[]> {
    await evaluate(directory, at);
    return shownFindings(directory);
  }

  describe('a contractor who becomes an employee', () => {
    it('keeps access without a leaver, and shows the values of the employment that runs', async () => {
      await directory.sync(contractors, [contract], '2026-11-29T00:00:00Z');
      await directory.sync(hr, [employment], '2026-11-30T00:00:00Z');
      expect(await shown()).toEqual({ status: 'active', job_title: 'Contractor', termination_date: '2026-12-31' });
      await applyDue(directory.database, directory.tenant, new Date('2027-01-01T00:00:00Z'));
      expect(await shown()).toEqual({ status: 'active', job_title: 'Engineer', hire_date: '2027-01-01' });
      expect(await lifecycle()).toEqual(['lifecycle.joiner']);
    });

    it('is pending between the two, because a directory does not revive the person', async () => {
      const login = await directory.fixture.connector(directory.tenant, { name: 'Directory', priority: 5 });
      await directory.sync(contractors, [contract], '2026-11-29T00:00:00Z');
      await directory.sync(login, [person('ann', {})], '2026-11-29T00:00:00Z');
      await directory.sync(hr, [person('17', { hire_date: '2027-03-01T00:00:00.000Z' })], '2026-11-30T00:00:00Z');
      expect((await shown()).status).toBe('active');
      await applyDue(directory.database, directory.tenant, new Date('2027-01-01T00:00:00Z'));
      expect((await shown()).status).toBe('pending');
      await applyDue(directory.database, directory.tenant, new Date('2027-03-01T00:00:00Z'));
      expect(await lifecycle()).toEqual(['lifecycle.joiner', 'lifecycle.leaver', 'lifecycle.rejoiner']);
    });
  });

  describe('an employee whose contract with another employer has ended', () => {
    const former = row('c1', { last_name: 'Lee', email: 'lee@x.org', status: 'inactive' });

    it('is not revived by an address', async () => {
      await directory.sync(contractors, [former], '2026-11-29T00:00:00Z');
      await directory.sync(hr, [row('17', { last_name: 'Lee', email: 'lee@x.org' })], '2026-11-29T00:00:00Z');
      expect(await directory.people()).toEqual([['17'], ['c1']]);
      const reasons = await directory.fixture.rows('select reason from review_cases where tenant_id = $1', [
        directory.tenant,
      ]);
      expect(reasons).toEqual([{ reason: 'email "lee@x.org" belongs to a person who has left' }]);
    });

    it('has a finding if the source that precedes lists no dates', async () => {
      const list = await directory.fixture.connector(directory.tenant, { name: 'List', priority: 5 });
      await directory.sync(list, [person('ann', {})], '2026-11-29T00:00:00Z');
      await directory.sync(contractors, [person('c1', { status: 'inactive' })], '2026-11-29T00:00:00Z');
      expect((await shown()).status).toBe('inactive');
      expect(await conflicts('2026-11-29T01:00:00Z')).toEqual(['employment_conflict ann: open']);
      await directory.sync(hr, [person('17', {})], '2026-11-30T00:00:00Z');
      expect(await conflicts('2026-11-30T01:00:00Z')).toEqual(['employment_conflict ann: resolved']);
    });
  });

  describe('two sources of equal precedence', () => {
    it('have a finding if one of them no longer employs or lists the person', async () => {
      const copy = await directory.fixture.connector(directory.tenant, {
        name: 'Copy',
        priority: 10,
        employments: true,
      });
      await directory.sync(copy, [person('1', {})], '2026-11-29T00:00:00Z');
      await directory.sync(hr, [person('17', { status: 'inactive' })], '2026-11-29T00:00:00Z');
      expect((await shown()).status).toBe('active');
      expect(await conflicts('2026-11-29T01:00:00Z')).toEqual(['employment_conflict 1: open']);
      await wholeRun(directory, hr, [[row('18', { last_name: 'Berg' })]], { at: '2026-11-30T00:00:00Z' });
      expect(await conflicts('2026-11-30T01:00:00Z')).toEqual([
        'employment_conflict 1: resolved',
        'leaver_in_other_source 1: open',
      ]);
    });
  });

  describe('a transfer between two sources of equal precedence', () => {
    it('is no finding if the new employment began after the one that is no longer listed', async () => {
      const other = await directory.fixture.connector(directory.tenant, { name: 'B', priority: 10, employments: true });
      await directory.sync(hr, [person('17', { hire_date: '2020-03-01T00:00:00.000Z' })], '2026-11-28T00:00:00Z');
      await directory.sync(other, [person('b1', { hire_date: '2026-11-29T00:00:00.000Z' })], '2026-11-29T00:00:00Z');
      await wholeRun(directory, hr, [[row('18', { last_name: 'Berg' })]], { at: '2026-11-29T00:00:00Z' });
      expect((await shown()).status).toBe('active');
      expect(await conflicts('2026-11-30T01:00:00Z')).toEqual([]);
    });
  });

  describe('two employers that disagree', () => {
    it('keep the access of the person, and a finding asks', async () => {
      await directory.sync(hr, [person('17', { status: 'inactive' })], '2026-11-29T00:00:00Z');
      await directory.sync(contractors, [person('c1', {})], '2026-11-29T00:00:00Z');
      expect((await shown()).status).toBe('active');
      expect(await conflicts('2026-11-29T01:00:00Z')).toEqual(['employment_conflict c1: open']);
      await directory.sync(contractors, [person('c1', { status: 'inactive' })], '2026-11-30T00:00:00Z');
      expect((await shown()).status).toBe('inactive');
      expect(await conflicts('2026-11-30T01:00:00Z')).toEqual(['employment_conflict c1: resolved']);
    });

    it('do not if one employment follows the other', async () => {
      await directory.sync(
        hr,
        [person('17', { termination_date: '2026-06-30T00:00:00.000Z' })],
        '2026-11-29T00:00:00Z',
      );
      await directory.sync(
        contractors,
        [person('c1', { hire_date: '2026-07-01T00:00:00.000Z' })],
        '2026-11-29T00:00:00Z',
      );
      expect((await shown()).status).toBe('active');
      expect(await conflicts('2026-11-29T01:00:00Z')).toEqual([]);
    });
  });

  describe('a source that is set to list no employments', () => {
    it('decides as a directory does', async () => {
      await directory.sync(hr, [person('17', { status: 'inactive' })]);
      await directory.sync(contractors, [person('c1', {})]);
      expect((await shown()).status).toBe('active');
      const policy = { connector_employments: [{ connector_id: contractors, employments: false }] };
      await directory.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, ...policy } });
      expect((await shown()).status).toBe('inactive');
    });
  });

  describe('two companies with the same numbers', () => {
    const ofOne = row('a1', { employee_number: '1', first_name: 'Tom', last_name: 'Berg', status: 'inactive' });
    const ofOther = (field: string) => row('b1', { [field]: '1', first_name: 'Ute', last_name: 'Berg' });
    let logins: string;

    beforeEach(async () => {
      logins = await directory.fixture.connector(directory.tenant, { name: 'Logins', records: 'account' });
      await directory.sync(hr, [ofOne]);
    });

    it('are kept apart by a key of the second company, which links its accounts', async () => {
      const rules: MatchingRules = {
        ...defaultMatchingRules,
        certain: [...defaultMatchingRules.certain, 'attributes.number_b'],
        keys: [{ field: 'attributes.number_b', normaliser: 'exact', strength: 'permanent' }],
      };
      await directory.operate('rules.change', { rules, preview: false });
      await directory.sync(contractors, [ofOther('attributes.number_b')]);
      await directory.sync(logins, [row('l1', { 'attributes.number_b': '1' })]);
      expect(await directory.people()).toEqual([['a1'], ['b1', 'l1']]);
    });

    it('that were joined by a common surname are separated after the mapping is corrected, also their access', async () => {
      await directory.sync(contractors, [ofOther('employee_number')]);
      expect(await directory.people()).toEqual([['a1', 'b1']]);
      await directory.sync(contractors, [ofOther('attributes.number_b')]);
      const result = await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
      expect(await directory.people()).toEqual([['a1'], ['b1']]);
      expect(result.result).toMatchObject({ access_changes: [{ from: 'active', to: 'inactive' }] });
    });
  });
});
