import { defaultLifecyclePolicy, defaultMatchingRules, newUuid } from '@idsync/contracts';
import { assignTime } from '@idsync/database/bus';
import { type DueTenant, findDueTenants, lockReferences, saveNextDue } from '@idsync/database/directory';
import { noteDue } from '@idsync/database/settings';
import { silentLogger } from '@idsync/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { evaluate, storedFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { applyDue, doDueWork } from './due-work.js';

const directory = Harness.ofFile();

describe('a due tenant', () => {
  let tenant: string;

  beforeEach(async () => {
    await directory.newTenant();
    ({ tenant } = directory);
    // Its first pass over findings ends.
    await work();
  });

  const rows = (sql: string, values: unknown[] = []) => directory.fixture.rows<Record<string, unknown>>(sql, values);
  const found = async (): Promise<DueTenant | undefined> =>
    (await directory.database.acrossTenants(findDueTenants)).find(({ id }) => id === tenant);

  /** Does the work of the tenant until it has none. */
  async function work(): Promise<void> {
    for (let due = await found(), round = 0; due; due = await found(), round += 1) {
      if (round > 5) throw new Error('the tenant is due again and again');
      await doDueWork(directory.database, silentLogger, due, new Date(Date.now() + 5_000));
    }
  }

  /** Seconds until the tenant is due. */
  async function secondsLeft(): Promise<number> {
    const [row] = await rows(
      'select extract(epoch from next_at - now())::float8 as left from due_tenants where tenant_id = $1',
      [tenant],
    );
    return Number(row?.left);
  }

  const soon = `now() + interval '10 minutes'`;

  describe('a tenant without work', () => {
    it('is found again within an hour only', async () => {
      expect(await found()).toBeUndefined();
      const left = await secondsLeft();
      expect(left).toBeGreaterThan(3_000);
      expect(left).toBeLessThanOrEqual(3_600);
    });

    it('is found after a change of the directory, whether or not it has an event', async () => {
      await directory.database.transaction(tenant, (tx) => assignTime(tx));
      expect(await found()).toBeDefined();
      await work();
      expect(await found()).toBeUndefined();
    });

    it('is found when work is noted, and at the time for which it is noted', async () => {
      await directory.database.transaction(tenant, (tx) => noteDue(tx, 600));
      expect(await found()).toBeUndefined();
      expect(await secondsLeft()).toBeLessThanOrEqual(600);
      await directory.database.transaction(tenant, (tx) => noteDue(tx));
      expect(await found()).toBeDefined();
    });

    it('is not found while it is being deleted', async () => {
      await directory.database.transaction(tenant, (tx) => noteDue(tx));
      await rows('insert into tenant_deletions (tenant_id) values ($1)', [tenant]);
      expect(await found()).toBeUndefined();
    });
  });

  describe('a tenant whose work is done', () => {
    const unansweredSeconds = 900;

    it('is still due if work was noted in the meantime', async () => {
      await directory.database.transaction(tenant, (tx) => noteDue(tx));
      const due = await found();
      if (!due) throw new Error('the tenant is not due');
      await directory.database.transaction(tenant, (tx) => noteDue(tx, 600));
      await directory.database.transaction(tenant, (tx) => saveNextDue(tx, due, unansweredSeconds, undefined));
      expect(await found()).toBeDefined();
    });

    it('is still due if it was changed in the meantime', async () => {
      await directory.database.transaction(tenant, (tx) => assignTime(tx));
      const due = await found();
      if (!due) throw new Error('the tenant is not due');
      await directory.database.transaction(tenant, (tx) => assignTime(tx));
      await directory.database.transaction(tenant, (tx) => saveNextDue(tx, due, unansweredSeconds, undefined));
      expect(await found()).toBeDefined();
    });

    it('is still due if its work failed', async () => {
      await directory.database.transaction(tenant, (tx) => noteDue(tx));
      const due = await found();
      if (!due) throw new Error('the tenant is not due');
      const broken = new Proxy(directory.database, {
        get: (target, name) =>
          name === 'transaction' ? () => Promise.reject(new Error('no connection')) : Reflect.get(target, name),
      });
      await expect(doDueWork(broken, silentLogger, due, new Date())).rejects.toThrow('no connection');
      expect(await found()).toBeDefined();
    });

    it.each([
      [
        'a record changes',
        `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
        created_at, updated_at, document, last_job_id, last_seq, status_since, due_at)
      values ($2, $1, 'user', $2, 'x', 'pending', '', '{}', '{}', now(), now(), '{}', $2, 1, now(), ${soon})`,
      ],
      [
        'a tombstone is purged',
        `insert into identities (id, tenant_id, status, created_at, updated_at, document, purge_at)
      values ($2, $1, 'deleted', now(), now(), '{}', ${soon})`,
      ],
      [
        'the message of an operation counts as lost',
        `insert into operations (id, tenant_id, type, input, announced_at)
      values ($2, $1, 'identity.erase', '{}', now() - interval '5 minutes')`,
      ],
      [
        'an acceptance ends',
        `insert into findings (id, tenant_id, kind, subject_id, evidence, opened_at, state, accepted_until)
      values ($2, $1, 'unknown_manager', $2, '{}', now(), 'accepted', ${soon})`,
      ],
      [
        'a source becomes stale',
        `insert into connectors (id, tenant_id, type, name, priority, records, config, created_at)
      values ($2, $1, 'csv', 'HR', 100, 'user', '{}', now() - interval '35 hours 50 minutes')`,
      ],
    ])('is due when %s', async (_, sql) => {
      await rows(sql, [tenant, newUuid()]);
      await directory.database.transaction(tenant, (tx) => noteDue(tx));
      await work();
      const left = await secondsLeft();
      expect(left).toBeGreaterThan(570);
      expect(left).toBeLessThanOrEqual(600);
    });

    describe('and whose rows an older version has written since', () => {
      const sync = async () => {
        const hr = await directory.fixture.connector(tenant, { priority: 10 });
        const apps = await directory.fixture.connector(tenant, { priority: 20, records: 'account' });
        await directory.sync(hr, [
          row('1', { email: 'ann@x.org', display_name: 'Ann' }),
          row('2', { email: 'b@x.org' }),
        ]);
        await directory.sync(apps, [row('a', { email: 'ann@x.org' })]);
        await work();
      };
      /** Writes as an older version would after this one was updated back. */
      const writeAsOlder = async (changes: readonly string[]) => {
        for (const table of ['source_records', 'identities', 'due_tenants'])
          await rows(`update ${table} set derived_by = 0 where tenant_id = $1`, [tenant]);
        for (const change of changes) await rows(change, [tenant]);
      };
      const derived = async () => [
        await rows('select term, record_id from search_terms where tenant_id = $1 order by 1, 2', [tenant]),
        await rows('select id, document from source_records where tenant_id = $1 order by id', [tenant]),
        await rows('select id, document from identities where tenant_id = $1 order by id', [tenant]),
      ];

      it('derives terms and match values again, without an event', async () => {
        await sync();
        const before = await derived();
        const last = await rows('select last from event_sequences where tenant_id = $1', [tenant]);
        await writeAsOlder([
          `update source_records set search_terms = '' where tenant_id = $1`,
          'delete from search_terms where tenant_id = $1',
        ]);
        expect(await derived()).not.toEqual(before);
        await work();
        expect(await derived()).toEqual(before);
        expect(await rows('select last from event_sequences where tenant_id = $1', [tenant])).toEqual(last);
        expect(await directoryFaults(directory.fixture, tenant)).toEqual([]);
      });

      it('renders documents again, with an event of what they show now', async () => {
        await sync();
        const [, , before] = await derived();
        await writeAsOlder([
          `update identities set document = replace(document, '"Ann"', '"An"') where tenant_id = $1`,
          // Its records were written by this version.
          'update source_records set derived_by = 1 where tenant_id = $1',
        ]);
        await work();
        const [, , after] = await derived();
        const shown = (documents: typeof before) =>
          documents?.map(({ id, document }) => ({ id, ...JSON.parse(String(document)), updated_at: undefined }));
        expect(shown(after)).toEqual(shown(before));
        expect(await directory.lastEvents(1)).toEqual(['identity.updated']);
        expect(await directoryFaults(directory.fixture, tenant)).toEqual([]);
      });

      it('is due until all of them are derived again', async () => {
        await sync();
        await writeAsOlder([]);
        const due = await found();
        if (!due) throw new Error('the tenant is not due');
        await directory.database.transaction(tenant, (tx) => saveNextDue(tx, due, unansweredSeconds, undefined));
        expect(await found()).toBeDefined();
        await work();
        expect(await found()).toBeUndefined();
        expect(await rows('select from identities where tenant_id = $1 and derived_by = 0', [tenant])).toEqual([]);
      });
    });

    it('has its findings evaluated while many records wait for matching', async () => {
      const hr = await directory.fixture.connector(tenant, { priority: 10 });
      const logins = await directory.fixture.connector(tenant, { records: 'account' });
      await directory.sync(hr, [row('1', { email: 'ann@acme.example', status: 'inactive' })]);
      await directory.sync(logins, [row('ann', { email: 'ann@acme.example', status: 'active' })]);
      await rows(
        'insert into match_queue (tenant_id, record_id) select $1, gen_random_uuid() from generate_series(1, 1000)',
        [tenant],
      );
      await rows(`update finding_passes set phase = 'users', ended_at = null where tenant_id = $1`, [tenant]);
      const due = await found();
      if (!due) throw new Error('the tenant is not due');
      // Each call does one part, and a pass has three.
      for (let call = 0; call < 3; call += 1) await doDueWork(directory.database, silentLogger, due, new Date(0));
      expect((await storedFindings(directory)).map(({ kind }) => kind)).toContain('leaver_with_account');
      expect(await rows('select from match_queue where tenant_id = $1', [tenant])).toHaveLength(100);
      expect(await found()).toBeDefined();
    });

    it('is due at once while records wait for matching', async () => {
      const connector = await directory.fixture.connector(tenant);
      await directory.fixture.job(tenant, connector, 'running');
      await rows('insert into match_queue (tenant_id, record_id) values ($1, $2)', [tenant, newUuid()]);
      await directory.database.transaction(tenant, (tx) => noteDue(tx));
      const due = await found();
      if (!due) throw new Error('the tenant is not due');
      await doDueWork(directory.database, silentLogger, due, new Date(Date.now() + 5_000));
      expect(await found()).toBeDefined();
    });
  });
});

describe('changes due at a time', () => {
  let hr: string;
  let apps: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
    apps = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'account' });
  });

  const clockAt = (time: string) => applyDue(directory.database, directory.tenant, new Date(time));
  const faults = () => directoryFaults(directory.fixture, directory.tenant);

  async function statuses(): Promise<Record<string, string>> {
    const rows = await directory.fixture.rows<{ name: string; status: string }>(
      `select string_agg(r.external_id, '+' order by r.external_id) as name, i.status
       from identities i left join source_records r on r.tenant_id = $1 and r.identity_id = i.id
      where i.tenant_id = $1 group by i.id, i.status`,
      [directory.tenant],
    );
    return Object.fromEntries(rows.map(({ name, status }) => [name ?? 'unnamed', status]));
  }

  describe('time-based changes', () => {
    it('activate a user on the hire date, once', async () => {
      const hired = { email: 'ann@x.org', hire_date: '2026-03-01T00:00:00.000Z' };
      await directory.sync(hr, [row('1', hired), row('2', { email: 'b@x.org' })], '2026-02-01T00:00:00Z');
      expect(await statuses()).toEqual({ 1: 'pending', 2: 'active' });
      expect(await directory.lastEvents(9)).toEqual(expect.arrayContaining(['lifecycle.joiner']));
      expect(await clockAt('2026-02-28T23:59:59Z')).toBe(0);
      expect(await clockAt('2026-03-01T00:00:00Z')).toBe(1);
      expect(await clockAt('2026-03-01T00:00:00Z')).toBe(0);
      expect(await statuses()).toEqual({ 1: 'active', 2: 'active' });
      expect(await directory.lastEvents(3)).toEqual([
        'user.status_changed',
        'identity.status_changed',
        'lifecycle.joiner',
      ]);
      expect(await faults()).toEqual([]);
    });

    it('are a leaver when the hire date of an active person is moved to the future, and then a rejoiner', async () => {
      const on = (date: string) => [row('1', { email: 'ann@x.org', hire_date: `${date}T00:00:00.000Z` })];
      await directory.sync(hr, on('2026-03-01'), '2026-03-02T00:00:00Z');
      await directory.sync(hr, on('2026-04-01'), '2026-03-10T00:00:00Z');
      expect(await statuses()).toEqual({ 1: 'pending' });
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.leaver']);
      await clockAt('2026-04-01T00:00:00Z');
      expect(await statuses()).toEqual({ 1: 'active' });
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.rejoiner']);
    });

    it('follow a postponed hire date', async () => {
      const on = (date: string) => [row('1', { email: 'ann@x.org', hire_date: `${date}T00:00:00.000Z` })];
      await directory.sync(hr, on('2026-03-01'), '2026-02-01T00:00:00Z');
      await directory.sync(hr, on('2026-04-01'), '2026-02-02T00:00:00Z');
      expect(await clockAt('2026-03-15T00:00:00Z')).toBe(0);
      expect(await clockAt('2026-04-01T00:00:00Z')).toBe(1);
      expect(await statuses()).toEqual({ 1: 'active' });
    });

    it('delete a leaver after the grace period, keep the record while its source lists it, and recognise a returning person', async () => {
      const ann = (status: string) => [row('1', { email: 'ann@x.org', status })];
      await directory.sync(hr, ann('active'), '2026-01-01T00:00:00Z');
      const id = await directory.identityOf('1');
      await directory.sync(hr, ann('inactive'), '2026-02-01T00:00:00Z');
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.leaver']);
      expect(await clockAt('2026-03-02T00:00:00Z')).toBe(0);
      expect(await clockAt('2026-03-03T00:00:00Z')).toBe(1);
      expect(await statuses()).toEqual({ 1: 'deleted' });
      expect(await directory.lastEvents(2)).toEqual(['user.deleted', 'identity.deleted']);
      expect(await clockAt('2027-01-01T00:00:00Z')).toBe(0);
      await directory.sync(
        hr,
        [row('1', { email: 'ann@x.org', status: 'inactive', job_title: 'x' })],
        '2027-01-02T00:00:00Z',
      );
      expect(await statuses()).toEqual({ 1: 'deleted' });
      await directory.sync(hr, ann('active'), '2027-02-01T00:00:00Z');
      expect(await statuses()).toEqual({ 1: 'active' });
      expect(await directory.identityOf('1')).toBe(id);
      expect(await directory.lastEvents(1)).toEqual(['lifecycle.rejoiner']);
      expect(await faults()).toEqual([]);
    });

    it('purge a tombstone with all its data after the retention', async () => {
      await directory.sync(
        hr,
        [row('1', { email: 'ann@x.org' }), row('2', { email: 'b@x.org' })],
        '2026-01-01T00:00:00Z',
      );
      await directory.sync(apps, [row('a', { email: 'ann@x.org' })], '2026-01-01T00:00:00Z');
      const deleted = [row('1', { email: 'ann@x.org', status: 'deleted' })];
      await directory.sync(hr, deleted, '2026-02-01T00:00:00Z');
      await directory.sync(apps, [row('a', { email: 'ann@x.org', status: 'deleted' })], '2026-02-01T00:00:00Z');
      expect(await clockAt('2026-03-02T00:00:00Z')).toBe(0);
      expect(await clockAt('2026-03-04T00:00:00Z')).toBe(2);
      expect(await statuses()).toEqual({ 2: 'active' });
      const left = await directory.fixture.rows(
        `select details from events where tenant_id = $1 and details::text like '%ann@x.org%'`,
        [directory.tenant],
      );
      expect(left).toEqual([]);
      expect(await faults()).toEqual([]);
      // A deleted record that was never stored creates no tombstone.
      await directory.sync(hr, deleted, '2026-03-05T00:00:00Z');
      expect(await statuses()).toEqual({ 2: 'active' });
    });

    it('lock no records while they wait for an operation', async () => {
      await directory.sync(hr, [row('1', { hire_date: '2026-03-01T00:00:00.000Z' })], '2026-02-01T00:00:00Z');
      const { id } = await directory.record('1');
      let changed: Promise<number> | undefined;
      await directory.database.transaction(directory.tenant, async (tx) => {
        await lockReferences(tx, 'alone');
        changed = clockAt('2026-03-02T00:00:00Z');
        await directory.fixture.waitForBlockedLock();
        await tx.query('select from source_records where id = $1 for update nowait', [id]);
      });
      expect(await changed).toBe(1);
      expect(await statuses()).toEqual({ 1: 'active' });
    });

    it('are applied once when several processes run them concurrently', async () => {
      const people = Array.from({ length: 40 }, (_, at) => row(`${at}`, { hire_date: '2026-03-01T00:00:00.000Z' }));
      await directory.sync(hr, people, '2026-02-01T00:00:00Z');
      const done = await Promise.all([1, 2, 3].map(() => clockAt('2026-03-02T00:00:00Z')));
      expect(done.reduce((sum, each) => sum + each)).toBe(40);
      const joined = await directory.fixture.rows(
        `select from events where tenant_id = $1 and type = 'lifecycle.joiner'`,
        [directory.tenant],
      );
      expect(joined).toHaveLength(40);
      expect(await faults()).toEqual([]);
    });
  });

  describe('a leaver whose deleted record is purged', () => {
    let id: string;
    const account = (fields: Record<string, string> = {}) => [row('a', { employee_number: '17', ...fields })];
    const ann = (fields: Record<string, string> = {}) =>
      row('1', { employee_number: '17', last_name: 'Lee', ...fields });
    const open = async () => {
      await evaluate(directory, '2026-04-02T00:00:00Z');
      const found = await storedFindings(directory);
      return found.filter(({ state }) => state === 'open').map(({ kind }) => kind);
    };

    beforeEach(async () => {
      await directory.sync(hr, [ann(), row('2', {})], '2026-01-01T00:00:00Z');
      await directory.sync(apps, account(), '2026-01-01T00:00:00Z');
      id = await directory.identityOf('a');
      await directory.sync(hr, [ann({ status: 'deleted' })], '2026-02-01T00:00:00Z');
      expect(await statuses()).toEqual({ '1+a': 'deleted', 2: 'active' });
      await clockAt('2026-04-01T00:00:00Z');
    });

    afterEach(async () => expect(await faults()).toEqual([]));

    it('stays deleted while an account is active, without an event, and with its finding', async () => {
      expect(await statuses()).toEqual({ 2: 'active', a: 'deleted' });
      expect(await directory.identityOf('a')).toBe(id);
      expect(await directory.lastEvents(9)).not.toContain('lifecycle.rejoiner');
      expect(await open()).toContain('leaver_with_account');
    });

    it('stays deleted when its account changes, and when settings change', async () => {
      const changes: Record<string, string>[] = [
        { status: 'disabled' },
        { display_name: 'Ann' },
        { email: 'ann@x.org' },
      ];
      for (const fields of changes) await directory.sync(apps, account(fields), '2026-04-02T00:00:00Z');
      await directory.operate('rules.change', {
        rules: { ...defaultMatchingRules, certain: ['email'] },
        preview: false,
      });
      await directory.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, grace_days: 9 } });
      await directory.operate('attributes.rank', { connector: { id: apps, priority: 5 } });
      expect(await statuses()).toEqual({ 2: 'active', a: 'deleted' });
      expect(await open()).toContain('leaver_with_account');
    });

    it('stays deleted after a merge that is reverted', async () => {
      const into_id = await directory.identityOf('2');
      const { id: operation_id } = await directory.operate('identity.merge', { into_id, from_ids: [id] });
      expect(await statuses()).toEqual({ '2+a': 'active' });
      await directory.operate('operation.revert', { operation_id });
      expect(await statuses()).toEqual({ 2: 'active', a: 'deleted' });
    });

    it('is active again when an operator links it with a user', async () => {
      await directory.sync(hr, [ann()], '2026-04-03T00:00:00Z');
      const user = await directory.identityOf('1');
      await directory.operate('identity.merge', { into_id: id, from_ids: [user] });
      expect(await statuses()).toEqual({ '1+a': 'active', 2: 'active' });
    });
  });

  it('follows the accounts of an identity that never had a user, also when the last one returns', async () => {
    await directory.sync(hr, [row('1', { employee_number: '17' })], '2026-01-01T00:00:00Z');
    await directory.sync(apps, [row('a', { employee_number: '17' })], '2026-01-01T00:00:00Z');
    const { id: recordId, identity_id } = await directory.record('a');
    await directory.operate('identity.split', { identity_id, record_ids: [recordId] });
    for (const [status, expected] of [
      ['disabled', 'inactive'],
      ['deleted', 'deleted'],
      ['active', 'active'],
    ] as const) {
      await directory.sync(apps, [row('a', { employee_number: '17', status })], '2026-02-01T00:00:00Z');
      expect(await statuses()).toEqual({ 1: 'active', a: expected });
    }
    expect(await faults()).toEqual([]);
  });

  describe('erasing an identity', () => {
    it('leaves only a tombstone, which is purged after the retention, and keeps the machines', async () => {
      const machines = await directory.fixture.connector(directory.tenant, { records: 'machine_identity' });
      await directory.sync(hr, [row('uli-1', { email: 'uli@x.org', first_name: 'Uli' })], '2026-01-01T00:00:00Z');
      await directory.sync(hr, [row('uli-1', { email: 'uli@x.org', first_name: 'Ulika' })], '2026-01-02T00:00:00Z');
      await directory.sync(apps, [row('uli-acc', { email: 'uli@x.org' })], '2026-01-02T00:00:00Z');
      await directory.sync(machines, [row('bot', { email: 'uli@x.org' })], '2026-01-02T00:00:00Z');
      const id = await directory.identityOf('uli-1');
      const erased = await directory.operate(
        'identity.erase',
        { identity_id: id, reason: 'asked to' },
        '2026-01-03T00:00:00Z',
      );
      expect(erased).toMatchObject({ status: 'done', result: { records_erased: 2 } });

      expect(await statuses()).toEqual({ bot: 'active', unnamed: 'deleted' });
      const [tombstone] = await directory.fixture.rows<{ document: string }>(
        'select document from identities where id = $1',
        [id],
      );
      expect(JSON.parse(tombstone?.document ?? '')).toEqual({
        id: expect.stringMatching(/^idn_/),
        status: 'deleted',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-03T00:00:00.000Z',
        attributes: [],
        users: [],
        accounts: [],
        machine_identities: [],
      });
      const tables = [
        'source_records',
        'identities',
        'identity_versions',
        'record_versions',
        'correlation_keys',
        'waiting_records',
        'weak_keys',
        'review_cases',
        'events',
      ];
      for (const table of tables.filter((each) => each !== 'waiting_records')) {
        const traces = await directory.fixture.rows(
          `select t::text from ${table} t where tenant_id = $1 and t::text ilike '%uli%' and t::text not ilike '%bot%'`,
          [directory.tenant],
        );
        expect({ table, traces }).toEqual({ table, traces: [] });
      }
      await clockAt('2026-02-03T00:00:00Z');
      expect(await statuses()).toEqual({ bot: 'active' });
      const [total] = await directory.fixture.rows<{ count: number }>(
        `select sum(count)::int as count from directory_counters where tenant_id = $1 and resource = 'identity'`,
        [directory.tenant],
      );
      expect(total?.count).toBe(1);
    });

    it('purges the ids of identities merged into it together with the tombstone', async () => {
      await directory.sync(
        hr,
        [row('a', { email: 'a@x.org' }), row('b', { email: 'b@x.org' })],
        '2026-01-01T00:00:00Z',
      );
      const [into_id, from] = [await directory.identityOf('a'), await directory.identityOf('b')];
      await directory.operate('identity.merge', { into_id, from_ids: [from] }, '2026-01-02T00:00:00Z');
      await directory.operate('identity.erase', { identity_id: into_id }, '2026-01-03T00:00:00Z');
      const redirects = () => directory.fixture.rows('select id from identity_redirects where into_id = $1', [into_id]);
      expect(await redirects()).toEqual([{ id: from }]);
      await clockAt('2026-02-03T00:00:00Z');
      expect(await redirects()).toEqual([]);
    });
  });
});
