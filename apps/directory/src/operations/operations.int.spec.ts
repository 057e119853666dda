import {
  defaultLifecyclePolicy,
  defaultMatchingRules,
  type MatchingRules,
  type Message,
  newUuid,
  type SourceRecord,
} from '@idsync/contracts';
import { Database } from '@idsync/database';
import { lockOperation, takeUnansweredOperations } from '@idsync/database/directory';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { republishOperations } from '../background/due-work.js';
import { giveUpOperation, runOperation } from './run-operation.js';

const directory = Harness.ofFile();

describe('an operation', () => {
  beforeAll(async () => {
    await directory.newTenant();
  });

  it('is refused after its message is dead-lettered, unless it is already done', async () => {
    const id = newUuid();
    const input = { job_id: newUuid(), preview: false };
    await directory.fixture.rows(
      `insert into operations (id, tenant_id, type, input) values ($1, $2, 'job.undo', $3)`,
      [id, directory.tenant, JSON.stringify(input)],
    );
    const message = { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: id } };
    const status = () => directory.fixture.rows('select status, result from operations where id = $1', [id]);
    await giveUpOperation(directory.database, message);
    expect(await status()).toEqual([
      { status: 'refused', result: { error: expect.stringContaining('changed nothing') } },
    ]);
    await directory.fixture.rows(`update operations set status = 'done', result = '{}' where id = $1`, [id]);
    await giveUpOperation(directory.database, message);
    expect(await status()).toEqual([{ status: 'done', result: {} }]);
  });
});

describe('operations with an early message', () => {
  it('fail to be retried while their row is not visible, and run with the same message afterwards', async () => {
    await directory.newTenant();
    const id = newUuid();
    const message = { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: id } };
    const early = runOperation(directory.database, message);
    await expect(early).rejects.toThrow('the operation of the message is not visible yet');
    await directory.fixture.rows(
      `insert into operations (id, tenant_id, type, input) values ($1, $2, 'job.undo', $3)`,
      [id, directory.tenant, JSON.stringify({ job_id: newUuid(), preview: false })],
    );
    await runOperation(directory.database, message);
    const rows = await directory.fixture.rows('select status from operations where id = $1', [id]);
    expect(rows).toEqual([{ status: 'refused' }]);
  });
});

describe('operations with a lost message', () => {
  beforeEach(async () => {
    await directory.newTenant();
    await directory.fixture.rows('delete from outbox');
  });

  /** Inserts an operation whose message was published at that time. */
  async function insertOperation(
    minutesAgo: number,
    type = 'job.undo',
    input: object = { job_id: newUuid(), preview: true },
  ) {
    const id = newUuid();
    await directory.fixture.rows(
      `insert into operations (id, tenant_id, type, input, announced_at)
     values ($1, $2, $3, $4, now() - $5 * interval '1 minute')`,
      [id, directory.tenant, type, JSON.stringify(input), minutesAgo],
    );
    return id;
  }

  /** Deletes and returns the requests for operations in the outbox. */
  async function takeRequests(): Promise<Message<'directory.operation.requested'>[]> {
    const rows = await directory.fixture.rows<{ type: string; message: string }>(
      'delete from outbox returning type, message',
    );
    return rows
      .filter(({ type }) => type === 'directory.operation.requested')
      .map(({ message }) => JSON.parse(message));
  }

  const idsOf = (messages: Message<'directory.operation.requested'>[]) =>
    messages.map(({ data }) => data.operation_id).sort();
  const republish = () => republishOperations(directory.database, directory.tenant);

  it('are republished once after 15 minutes, unless they are done', async () => {
    const lost = await insertOperation(16);
    await insertOperation(14);
    const done = await insertOperation(16);
    await directory.fixture.rows(`update operations set status = 'done', result = '{}' where id = $1`, [done]);
    expect(await republish()).toBe(1);
    expect(idsOf(await takeRequests())).toEqual([lost]);
    expect(await republish()).toBe(0);
  });

  it('run once even if the first message arrives later', async () => {
    const hr = await directory.fixture.connector(directory.tenant);
    await directory.sync(hr, [row('1', { email: 'ann@x.org' }), row('2', { email: 'bob@x.org' })]);
    await takeRequests();
    const merged = { into_id: await directory.identityOf('1'), from_ids: [await directory.identityOf('2')] };
    const id = await insertOperation(16, 'identity.merge', { ...merged, reason: 'the same' });
    await republish();
    const again = await takeRequests();
    const first = { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: id } };
    await Promise.all([...again, first].map((message) => runOperation(directory.database, message)));
    expect(await directory.people()).toEqual([['1', '2']]);
    expect((await directory.lastEvents(100)).filter((type) => type === 'identity.merged')).toHaveLength(1);
    expect(await republish()).toBe(0);
  });

  it('are not republished while they run', async () => {
    const id = await insertOperation(16);
    await directory.database.transaction(directory.tenant, async (tx) => {
      await lockOperation(tx, id);
      expect(await republish()).toBe(0);
    });
    expect(await republish()).toBe(1);
  });

  it('are republished once by two concurrent processes', async () => {
    const lost = await Promise.all(Array.from({ length: 150 }, () => insertOperation(16)));
    const other = await Database.connect({ url: directory.url, service: 'directory' });
    try {
      for (let found = 1; found > 0; ) {
        const both = await Promise.all([republish(), republishOperations(other, directory.tenant)]);
        found = both[0] + both[1];
      }
    } finally {
      await other.close();
    }
    expect(idsOf(await takeRequests())).toEqual(lost.sort());
  });

  it('are republished by the next run if a process is killed during one', async () => {
    const lost = await insertOperation(16);
    const killed = directory.database.transaction(directory.tenant, async (tx) => {
      expect(await takeUnansweredOperations(tx, { olderThanMs: 0 }, 100)).toEqual([{ id: lost }]);
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await directory.fixture.rows('select pg_terminate_backend($1)', [backend?.pid]);
      await tx.query('select 1');
    });
    await expect(killed).rejects.toThrow(/terminating|connection error/);
    expect(await takeRequests()).toEqual([]);
    expect(await republish()).toBe(1);
    expect(idsOf(await takeRequests())).toEqual([lost]);
  });

  it('of other tenants are ignored', async () => {
    await insertOperation(16);
    await directory.newTenant();
    expect(await republish()).toBe(0);
  });
});

describe('new rules', () => {
  const trusting: MatchingRules = {
    ...defaultMatchingRules,
    weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' })),
  };

  beforeEach(async () => {
    await directory.newTenant();
    const hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
    const ad = await directory.fixture.connector(directory.tenant, { priority: 20 });
    const logins = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'account' });
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, [row('hr', { first_name: 'Ann', last_name: 'Lee', email: 'ann@x.org' })]);
    await directory.sync(ad, [row('ad', { display_name: 'Ann Lee' })]);
    await directory.sync(logins, [row('login', { display_name: 'Ann Lee' })]);
    expect(await directory.people()).toEqual([['ad', 'hr', 'login']]);
  });

  const change = async (rules: MatchingRules, preview: boolean) =>
    (await directory.operate('rules.change', { rules, preview })).result;

  async function state(): Promise<unknown> {
    const events = await directory.fixture.rows('select count(*) from events where tenant_id = $1', [directory.tenant]);
    const links = await directory.fixture.rows(
      `select external_id, identity_id, evidence ->> 'kind' as kind, evidence -> 'values' as "values"
       from source_records where tenant_id = $1 order by external_id`,
      [directory.tenant],
    );
    return { events, links };
  }

  /** Ids of identities that a preview would create are others in the change. */
  const counts = (result: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(result).map(([name, value]) => [name, Array.isArray(value) ? value.length : value]),
    );

  it('keep links by a fuzzy rule that still links the records, without an event', async () => {
    const before = await state();
    const result = await change(trusting, false);
    expect(await state()).toEqual(before);
    expect(result).toMatchObject({ records_moved: 0, accounts_moved: 0, identities_parted: 0 });
  });

  it('link an account by a key that they add, instead of by a fuzzy rule that still links it', async () => {
    const login = 'user_principal_name';
    await change({ ...trusting, certain: trusting.certain.filter((kind) => kind !== login) }, false);
    const payroll = await directory.fixture.connector(directory.tenant, { priority: 40 });
    const admins = await directory.fixture.connector(directory.tenant, { priority: 50, records: 'account' });
    await directory.sync(payroll, [row('bo', { display_name: 'Bo Berg', [login]: 'bo@x.org' })]);
    await directory.sync(admins, [row('admin', { display_name: 'Ann Lee', [login]: 'bo@x.org' })]);
    expect(await directory.people()).toEqual([['ad', 'admin', 'hr', 'login'], ['bo']]);
    await change(trusting, false);
    expect(await directory.people()).toEqual([
      ['ad', 'hr', 'login'],
      ['admin', 'bo'],
    ]);
  });

  it('part what no rule links any longer, and open the cases of the fuzzy rules', async () => {
    const result = await change(defaultMatchingRules, false);
    expect(await directory.people()).toEqual([['ad'], ['hr']]);
    expect(result).toMatchObject({ accounts_moved: 1, identities_parted: 1, cases_opened: 2, records_not_compared: 0 });
  });

  it.each([
    ['the same', trusting],
    ['weaker', defaultMatchingRules],
    ['no', { ...trusting, weak: [] }],
  ])('have the result of their preview for %s fuzzy rules', async (_, rules) => {
    const before = await state();
    const preview = counts(await change(rules, true));
    expect(await state()).toEqual(before);
    expect(counts(await change(rules, false))).toEqual(preview);
  });
});

describe('the safeguard of operations', () => {
  const today = '2026-11-29T00:00:00Z';
  const all = 12;
  let old: string;
  let hr: string;

  const people = (count: number, values: Record<string, string>, prefix: string): SourceRecord[] =>
    Array.from({ length: count }, (_, at) =>
      row(`${prefix}${at}`, { employee_number: `E${at}`, last_name: `Lee${at}`, ...values }),
    );

  async function newSources(): Promise<void> {
    await directory.newTenant();
    old = await directory.fixture.connector(directory.tenant, { name: 'Old HR', priority: 10 });
    hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 20 });
  }

  /** People who are active in the preceding source, and not in the other one. */
  async function company(inactive: number): Promise<void> {
    await newSources();
    await directory.sync(old, people(all, {}, 'o'), today);
    await directory.sync(hr, people(inactive, { status: 'inactive' }, 'n'), today);
  }

  async function statuses(): Promise<Record<string, number>> {
    const rows = await directory.fixture.rows<{ status: string; count: number }>(
      'select status, count(*)::int from identities where tenant_id = $1 group by 1',
      [directory.tenant],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  async function priorityOf(id: string): Promise<unknown> {
    const [connector] = await directory.fixture.rows('select priority, config_version from connectors where id = $1', [
      id,
    ]);
    return connector;
  }

  const rankOf = () => ({ connector: { id: hr, priority: 5 } });
  const confirm = (operation_id: string) =>
    directory.operate('operation.confirm', { operation_id, reason: 'right' }, today);

  describe('a change by which people lose access', () => {
    it('is not the end of the grace period of leavers', async () => {
      await newSources();
      await directory.sync(hr, people(all, { status: 'inactive' }, 'n'), today);
      const policy = { ...defaultLifecyclePolicy, grace_days: 0 };
      expect(await directory.operate('lifecycle.change', { policy }, today)).toMatchObject({ status: 'done' });
      expect(await statuses()).toEqual({ deleted: all });
    });

    describe('of many people', () => {
      beforeEach(() => company(all));

      it('is held with the people, and neither they nor the settings change', async () => {
        const held = await directory.operate('attributes.rank', rankOf(), today);
        expect(held).toMatchObject({
          status: 'held',
          result: {
            held: 'take access from 12 of 12 people, more than 25 % and more than 5',
            access_changes_total: all,
            access_changes: expect.arrayContaining([
              { identity_id: expect.stringMatching(/^idn_/), from: 'active', to: 'inactive' },
            ]),
          },
        });
        expect(held.result.access_changes).toHaveLength(all);
        expect(await statuses()).toEqual({ active: all });
        expect(await priorityOf(hr)).toMatchObject({ priority: 20 });
      });

      it('takes effect when it is confirmed, once', async () => {
        const held = await directory.operate('attributes.rank', rankOf(), today);
        expect(await confirm(held.id)).toMatchObject({ status: 'done', result: { confirmed_operation_id: held.id } });
        expect(await statuses()).toEqual({ inactive: all });
        expect(await priorityOf(hr)).toMatchObject({ priority: 5, config_version: 1 });
        const [performed] = await directory.fixture.rows('select status, result from operations where id = $1', [
          held.id,
        ]);
        expect(performed).toEqual({ status: 'done', result: { identities_changed: all } });
        expect(await confirm(held.id)).toMatchObject({
          status: 'refused',
          result: { error: 'the operation is done, not held' },
        });
      });

      it('is held for each setting that decides who has access', async () => {
        const policy = { connector_employments: [{ connector_id: hr, employments: true }] };
        const dates = { connector: { id: hr, fields: { termination_date: 'end' } } };
        for (const held of [
          await directory.operate('lifecycle.change', { policy } as never, today),
          await directory.operate('attributes.rank', dates, today),
          await directory.operate('attributes.rank', {
            priorities: [{ field: 'status', connector_id: hr, priority: 1 }],
          }),
        ])
          expect(held).toMatchObject({ status: 'held', result: { access_changes_total: all } });
        expect(await statuses()).toEqual({ active: all });
      });

      it('is not confirmed if other people would lose access, or after a later change', async () => {
        const held = await directory.operate('attributes.rank', rankOf(), today);
        await directory.sync(old, [row('o12', { employee_number: 'E12', last_name: 'Lee12' })], today);
        await directory.sync(
          hr,
          [row('n12', { employee_number: 'E12', last_name: 'Lee12', status: 'inactive' })],
          today,
        );
        expect(await confirm(held.id)).toMatchObject({
          status: 'refused',
          result: { error: 'the access of other people would change now (1): request the change again' },
        });
        await directory.operate('attributes.rank', { connector: { id: old, priority: 11 } }, today);
        expect(await confirm(held.id)).toMatchObject({
          status: 'refused',
          result: { error: expect.stringContaining('a later operation of this kind') },
        });
        expect(await statuses()).toEqual({ active: all + 1 });
      });
    });

    it.each([
      [24, 'more than 10 % and more than 20'],
      [8, 'more than 25 % and more than 5'],
    ])('is held for %i people who would get access again, too', async (many, bound) => {
      await newSources();
      await directory.sync(old, people(many, { status: 'inactive' }, 'o'), today);
      await directory.sync(hr, people(many, {}, 'n'), today);
      expect(await statuses()).toEqual({ inactive: many });
      const held = await directory.operate('attributes.rank', rankOf(), today);
      const reason = `give access to ${many} people beside 0 who have it, ${bound}`;
      expect(held).toMatchObject({ status: 'held', result: { held: reason, access_changes_total: many } });
      expect(await statuses()).toEqual({ inactive: many });
      expect(await confirm(held.id)).toMatchObject({ status: 'done' });
      expect(await statuses()).toEqual({ active: many });
    });

    it('is held for many people who would start before their hire date', async () => {
      await newSources();
      await directory.sync(hr, people(all, { hire_date: '2026-12-20T00:00:00.000Z' }, 'n'), today);
      const early = (start_days_before: number) =>
        directory.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, start_days_before } }, today);
      expect(await early(5)).toMatchObject({ status: 'done' });
      const held = await early(30);
      expect(held).toMatchObject({
        status: 'held',
        result: {
          held: `give access to ${all} people beside 0 who have it, more than 25 % and more than 5`,
          access_changes: expect.arrayContaining([expect.objectContaining({ from: 'pending', to: 'active' })]),
        },
      });
      expect(await statuses()).toEqual({ pending: all });
      expect(await confirm(held.id)).toMatchObject({ status: 'done' });
      expect(await statuses()).toEqual({ active: all });
    });

    it('is held for leavers whose logins would become new, active people', async () => {
      await newSources();
      await directory.sync(old, people(24, { status: 'inactive' }, 'o'), today);
      await directory.sync(hr, people(24, {}, 'n'), today);
      expect(await statuses()).toEqual({ inactive: 24 });
      const rules = { ...defaultMatchingRules, certain: ['email' as const] };
      const held = await directory.operate('rules.change', { rules, preview: false }, today);
      const reason = 'give access to 24 people beside 0 who have it, more than 10 % and more than 20';
      expect(held).toMatchObject({ status: 'held', result: { held: reason, access_changes_total: 24 } });
      expect(await statuses()).toEqual({ inactive: 24 });
      expect(await confirm(held.id)).toMatchObject({ status: 'done' });
      expect(await statuses()).toEqual({ active: 24, inactive: 24 });
    });

    it('takes effect at once for a few people', async () => {
      await company(5);
      expect(await directory.operate('attributes.rank', rankOf(), today)).toMatchObject({ status: 'done' });
      expect(await statuses()).toEqual({ active: all - 5, inactive: 5 });
    });

    it('does not exist for a confirmation of another tenant', async () => {
      await company(all);
      const held = await directory.operate('attributes.rank', rankOf(), today);
      await directory.newTenant();
      for (const id of [held.id, newUuid()])
        expect(await confirm(id)).toMatchObject({
          status: 'refused',
          result: { error: 'the operation does not exist' },
        });
    });
  });

  describe('a preview', () => {
    it('lists who would lose access', async () => {
      await company(all);
      await directory.operate('attributes.rank', rankOf(), today).then(({ id }) => confirm(id));
      await directory.fixture.rows(`update connectors set safeguard = '{"max_enabled_percent": 100}' where id = $1`, [
        hr,
      ]);
      const job = await directory.sync(hr, people(all, {}, 'n'), today);
      expect(await statuses()).toEqual({ active: all });
      const preview = await directory.operate('job.undo', { job_id: job, preview: true }, today);
      expect(preview).toMatchObject({ status: 'done', result: { records_restored: all, access_changes_total: all } });
      expect(await statuses()).toEqual({ active: all });
      expect(await directory.operate('job.undo', { job_id: job, preview: false }, today)).toMatchObject({
        status: 'held',
      });
    });
  });
});
