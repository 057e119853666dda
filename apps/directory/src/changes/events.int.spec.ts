import { encodeId, newUuid, type SourceRecord } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { shownDetails } from '@idsync/database/bus';
import { findEventBodies } from '@idsync/database/delivery';
import { findFeedPage } from '@idsync/database/gateway';
import type { DirectoryFixture } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyPlanned } from '../../test/apply-planned.js';
import { Harness, row } from '../../test/harness.js';
import { guardPositions } from '../../test/position-guard.js';
import { applyDue } from '../background/due-work.js';
import { applyBatch } from '../batch/apply-batch.js';

const directory = Harness.ofFile();

describe('an identity', () => {
  beforeEach(() => directory.newTenant());

  interface Shown {
    id: string;
    document: string;
    updated_at: Date;
  }

  interface Recorded {
    type: string;
    identity_id: string;
    details: ReturnType<typeof shownDetails>;
  }

  const state = () =>
    directory.fixture.rows<Shown>('select id, document, updated_at from identities where tenant_id = $1', [
      directory.tenant,
    ]);
  const lastSequence = async () =>
    (
      await directory.fixture.rows<{ last: number }>('select last from event_sequences where tenant_id = $1', [
        directory.tenant,
      ])
    )[0]?.last ?? 0;

  /** Makes a change and returns its events. Fails if an identity is shown differently and has no event. */
  async function changed(change: () => Promise<unknown>): Promise<Recorded[]> {
    const [before, sequence] = [new Map((await state()).map((each) => [each.id, each])), await lastSequence()];
    await change();
    const events = await directory.fixture.rows<Recorded>(
      'select type, identity_id, details from events where tenant_id = $1 and sequence > $2 order by sequence',
      [directory.tenant, sequence],
    );
    const told = new Set(events.map(({ identity_id }) => identity_id));
    for (const { id, document, updated_at } of await state()) {
      const old = before.get(id);
      if (old?.document === document) continue;
      expect({ document, hasEvent: told.has(id) }).toEqual({ document, hasEvent: true });
      if (old) expect(updated_at.getTime()).toBeGreaterThan(old.updated_at.getTime());
    }
    return events.map((event) => ({ ...event, details: shownDetails(event.details) }));
  }

  const userId = async (externalId: string) => encodeId('user', (await directory.record(externalId)).id);
  const listsOfUsers = (events: Recorded[]) =>
    events
      .filter(({ type }) => type === 'identity.updated')
      .flatMap(({ details }) => details.changes ?? [])
      .filter(({ field }) => field === 'users');

  it('has identity.updated for a user who joins it without changing its values', async () => {
    const [hr, ad] = [
      await directory.fixture.connector(directory.tenant),
      await directory.fixture.connector(directory.tenant),
    ];
    const ann = { employee_number: '7', first_name: 'Ann', last_name: 'Lee' };
    await directory.sync(hr, [row('hr', ann)]);
    const events = await changed(() => directory.sync(ad, [row('ad', ann)]));
    expect(events.map(({ type }) => type)).toEqual(['user.created', 'identity.updated']);
    expect(events[1]?.details.changes).toEqual([
      { field: 'users', to: await userId('ad'), source: encodeId('connector', ad) },
    ]);
  });

  it('has identity.updated when a deleted user of it is purged', async () => {
    const [hr, ad] = [
      await directory.fixture.connector(directory.tenant),
      await directory.fixture.connector(directory.tenant),
    ];
    await directory.sync(hr, [row('hr', { employee_number: '7' })]);
    await directory.sync(ad, [row('ad', { employee_number: '7' })]);
    await changed(() => directory.sync(ad, [row('ad', { employee_number: '7', status: 'deleted' })]));
    const id = await userId('ad');
    const events = await changed(() =>
      applyDue(directory.database, directory.tenant, new Date(Date.now() + 40 * 86_400_000)),
    );
    expect(listsOfUsers(events)).toEqual([expect.objectContaining({ from: id })]);
  });

  it('has an event for every change of what it shows, whatever its sources report', async () => {
    const one = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const values = fc.record({
      employee_number: one('1', '2', '3'),
      email: one('a@x.org', 'b@x.org'),
      first_name: one('Ann', 'Bob'),
      last_name: one('Lee'),
      status: one('active', 'inactive', 'deleted'),
    });
    const step = fc.record({
      source: fc.nat(2),
      rows: fc.array(fc.tuple(fc.nat(3), values), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        await directory.newTenant();
        const kinds = ['user', 'user', 'account'] as const;
        const connectors = await Promise.all(
          kinds.map((records, at) => directory.fixture.connector(directory.tenant, { records, priority: at })),
        );
        for (const { source, rows } of steps) {
          const records = new Map(rows.map(([at, fields]) => [`${source}-${at}`, fields]));
          await changed(() =>
            directory.sync(
              connectors[source] as string,
              [...records].map(([id, fields]): SourceRecord => {
                const { status, ...rest } = fields;
                const said = status === 'inactive' && source === 2 ? 'disabled' : status;
                const listed = Object.entries({ ...rest, status: said }).filter(([, value]) => value !== undefined);
                return row(id, Object.fromEntries(listed) as Record<string, string>);
              }),
            ),
          );
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('the bodies of events', () => {
  let gateway: Database;
  let dispatcher: Database;
  let hr: string;

  beforeAll(async () => {
    gateway = await Database.connect({ url: directory.url, service: 'gateway' });
    dispatcher = await Database.connect({ url: directory.url, service: 'webhook-dispatcher' });
  });

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  });

  afterAll(async () => {
    await dispatcher?.close();
    await gateway?.close();
  });

  interface Body {
    type: string;
    sequence: number;
    // biome-ignore lint/suspicious/noExplicitAny: what a test asserts is what it expects to find
    data: any;
  }

  const all = { after: 0, limit: 200 };

  async function feed(...types: string[]): Promise<Body[]> {
    const { tenant } = directory;
    const page = await gateway.transaction(tenant, (tx) => findFeedPage(tx, { ...all, types }));
    return page.bodies.map((body) => JSON.parse(body) as Body);
  }

  const person = (title: string, id = 'wulio') =>
    row(id, { first_name: id, employee_number: `E-${id}`, email: `${id}@example.com`, job_title: title });

  describe('an event that was recorded before its tenant had a webhook', () => {
    beforeEach(async () => {
      for (const title of ['Clerk', 'Chief', 'Boss']) await directory.sync(hr, [person(title)]);
    });

    it('shows its user as it was at its sequence', async () => {
      const events = await feed('user.*', 'lifecycle.mover');
      expect(events.map(({ type, data }) => [type, (data.users?.[0] ?? data).job_title])).toEqual([
        ['user.created', 'Clerk'],
        ['user.updated', 'Chief'],
        ['lifecycle.mover', 'Chief'],
        ['user.updated', 'Boss'],
        ['lifecycle.mover', 'Boss'],
      ]);
    });

    it('shows its identity as it was at its sequence, also after a merge', async () => {
      await directory.sync(hr, [person('Boss'), person('Guard', 'bea')]);
      const ids = [await directory.identityOf('wulio'), await directory.identityOf('bea')];
      await directory.operate('identity.merge', { into_id: ids[1] ?? '', from_ids: [ids[0] ?? ''] });
      const events = await feed('identity.*');
      expect(events.map(({ type, data }) => [type, data.users.map((user: Body['data']) => user.job_title)])).toEqual([
        ['identity.created', ['Clerk']],
        ['identity.updated', ['Chief']],
        ['identity.updated', ['Boss']],
        ['identity.created', ['Guard']],
        ['identity.merged', ['Boss', 'Guard']],
      ]);
    });

    it('has the same body when the dispatcher renders it for a webhook', async () => {
      const { tenant } = directory;
      const range = { first: 1, last: 200 };
      const { bodies } = await dispatcher.transaction(tenant, (tx) => findEventBodies(tx, range, { limit: 200 }));
      expect(bodies.map(({ body }) => JSON.parse(body))).toEqual(await feed('*'));
    });

    it('shows nothing of the person after an erasure', async () => {
      await directory.operate('identity.erase', {
        identity_id: await directory.identityOf('wulio'),
        reason: 'asked to',
      });
      const events = await feed('*');
      expect(events.length).toBeGreaterThanOrEqual(10);
      expect(JSON.stringify(events)).not.toMatch(/wulio|Clerk|Chief|Boss/i);
      const versions = 'select from record_versions where tenant_id = $1';
      expect(await directory.fixture.rows(versions, [directory.tenant])).toEqual([]);
    });
  });

  describe('an event of an account without an identity', () => {
    it('shows the account as it was at its sequence, before it was linked', async () => {
      const accounts = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'account' });
      const login = (title: string) => row('login', { employee_number: 'E-wulio', job_title: title });
      await directory.sync(accounts, [login('Clerk')]);
      await directory.sync(accounts, [login('Chief')]);
      await directory.sync(hr, [person('Boss')]);
      const personId = encodeId('identity', await directory.identityOf('wulio'));
      const events = await feed('account.*');
      expect(events.map(({ type, data }) => [type, data.job_title, data.person_id])).toEqual([
        ['account.created', 'Clerk', undefined],
        ['account.updated', 'Chief', undefined],
        ['account.linked', 'Chief', personId],
      ]);
    });
  });

  describe('an earlier version of a machine that a person no longer owns', () => {
    it('is removed by the erasure of the person if it names them', async () => {
      const machines = await directory.fixture.connector(directory.tenant, {
        priority: 30,
        records: 'machine_identity',
      });
      const bot = (owner: string) => row('bot', { display_name: 'Backup', owned_by: `E-${owner}` });
      await directory.sync(machines, [bot('wulio')]);
      await directory.sync(hr, [person('Boss'), person('Guard', 'bea')]);
      await directory.sync(machines, [bot('bea')]);
      const named = () =>
        directory.fixture.rows(`select from record_versions where tenant_id = $1 and document like '%E-wulio%'`, [
          directory.tenant,
        ]);
      expect(await named()).toHaveLength(1);
      await directory.operate('identity.erase', {
        identity_id: await directory.identityOf('wulio'),
        reason: 'asked to',
      });
      expect(await named()).toEqual([]);
    });
  });
});

describe('events of groups', () => {
  let database: Database;
  let fixture: DirectoryFixture;
  let tenant: string;
  let source: string;

  beforeEach(async () => {
    await directory.newTenant();
    ({ database, fixture, tenant } = directory);
    source = await fixture.connector(tenant);
  });

  const person = (externalId: string, ...groups: string[]): SourceRecord => ({
    external_id: externalId,
    fields: { email: [`${externalId}@example.org`], ...(groups.length > 0 && { groups }) },
  });

  async function sync(...batches: SourceRecord[][]): Promise<void> {
    const job = await fixture.job(tenant, source);
    const sent = await Promise.all(batches.map((each, seq) => fixture.batch(tenant, source, job, seq, each)));
    await Promise.all(sent.map((batch) => applyBatch(database, batch, {})));
    await applyPlanned({ database, fixture, tenant }, job);
  }

  /** The events of groups, each as a line: its type, the group and the numbers of added and removed members. */
  async function events(): Promise<string[]> {
    const rows = await fixture.rows<{ line: string }>(
      `select concat_ws(' ', replace(type, 'group.', ''), details ->> 'name',
              '+' || jsonb_array_length(details -> 'added'), '-' || jsonb_array_length(details -> 'removed')) as line
       from events where tenant_id = $1 and type like 'group.%' order by sequence`,
      [tenant],
    );
    return rows.map(({ line }) => line);
  }

  it('report a group from its first member to its last', async () => {
    await sync([person('ann', 'VPN'), person('bob', 'VPN', 'All'), person('cat', 'All')]);
    const begun = ['created All', 'members_changed All +2 -0', 'created VPN', 'members_changed VPN +2 -0'];
    expect(await events()).toEqual(begun);

    await sync([person('ann', 'All'), person('bob', 'All'), person('cat', 'All')]);
    const moved = [...begun, 'members_changed All +1 -0', 'members_changed VPN +0 -2', 'deleted VPN'];
    expect(await events()).toEqual(moved);

    await sync([person('ann', 'All', 'VPN'), person('bob', 'All'), person('cat', 'All')]);
    expect(await events()).toEqual([...moved, 'created VPN', 'members_changed VPN +1 -0']);
  });

  it('are none for members that stay', async () => {
    await sync([person('ann', 'All')]);
    const before = await events();
    await sync([{ ...person('ann', 'All'), fields: { ...person('ann', 'All').fields, job_title: ['Lead'] } }]);
    expect(await events()).toEqual(before);
  });

  it('create a group once if concurrent batches bring its first members', async () => {
    await sync(...Array.from({ length: 6 }, (_, nth) => [person(`p${nth}`, 'All')]));
    const all = await events();
    expect(all.filter((line) => line === 'created All')).toHaveLength(1);
    expect(all.filter((line) => line === 'members_changed All +1 -0')).toHaveLength(6);
  });

  /** A member of groups with keys: `key:name`. */
  const member = (externalId: string, ...groups: string[]): SourceRecord => {
    const memberships = groups.map((group) => {
      const [id = '', name = ''] = group.split(':');
      return { id, name };
    });
    return { ...person(externalId, ...memberships.map(({ name }) => name)), memberships };
  };
  const groupIds = async () =>
    new Map(
      (
        await fixture.rows<{ id: string; name: string }>('select id, name from groups where tenant_id = $1', [tenant])
      ).map(({ id, name }) => [name, id]),
    );
  const shownOf = async (type: string) =>
    fixture.rows<{ name: string; from: string }>(
      `select details ->> 'name' as name, details -> 'changes' -> 0 ->> 'from' as from from events
        where tenant_id = $1 and type = $2 order by sequence`,
      [tenant, type],
    );

  it('report a rename as one update of the group, whose id and members stay', async () => {
    await sync([member('ann', 'g1:Sales'), member('bob', 'g1:Sales', 'g2:All')]);
    const [before, ids] = [await events(), await groupIds()];
    await sync([member('ann', 'g1:Trade'), member('bob', 'g1:Trade', 'g2:All')]);
    expect(await events()).toEqual([...before, 'updated Trade']);
    expect(await shownOf('group.updated')).toEqual([{ name: 'Trade', from: 'Sales' }]);
    const renamed = new Map(ids).set('Trade', ids.get('Sales') ?? '');
    renamed.delete('Sales');
    expect(await groupIds()).toEqual(renamed);
    await sync([member('ann', 'g1:Trade'), member('bob', 'g2:All')]);
    expect((await events()).slice(before.length + 1)).toEqual(['members_changed Trade +0 -1']);
  });

  it('report a rename in the middle of a run once, also if its batches arrive in another order', async () => {
    await sync([member('ann', 'g1:Sales')], [member('bob', 'g1:Sales')], [member('cat', 'g1:Sales')]);
    const before = await events();
    await sync(
      [{ ...member('ann', 'g1:Sales'), fields: { ...member('ann', 'g1:Sales').fields, job_title: ['Lead'] } }],
      [member('bob', 'g1:Trade')],
      [{ ...member('cat', 'g1:Sales'), fields: { ...member('cat', 'g1:Sales').fields, job_title: ['Lead'] } }],
    );
    expect((await events()).slice(before.length)).toEqual(['updated Trade']);
    await sync(...['ann', 'bob', 'cat'].map((name) => [member(name, 'g1:Trade')]));
    expect((await events()).slice(before.length)).toEqual(['updated Trade']);
  });

  it('keep the id of a group that was known by its name, and separate another group of the name', async () => {
    await sync([person('ann', 'Sales'), person('bob', 'Sales')]);
    const [before, ids] = [await events(), await groupIds()];
    await sync([member('ann', 'g1:Sales'), person('bob', 'Sales')]);
    await sync([member('ann', 'g1:Sales'), member('bob', 'g1:Sales')]);
    expect(await events()).toEqual(before);
    expect(await groupIds()).toEqual(ids);
    const users = 'select count(*)::int as count from events where tenant_id = $1 and type = $2';
    expect(await fixture.rows(users, [tenant, 'user.updated'])).toEqual([{ count: 0 }]);
    await sync([member('ann', 'g1:Sales'), member('bob', 'g2:Sales')]);
    const added = ['created Sales', 'members_changed Sales +1 -0', 'members_changed Sales +0 -1'];
    expect((await events()).slice(before.length).sort()).toEqual(added.sort());
  });

  it('give the name of a renamed group to another group', async () => {
    await sync([member('ann', 'g1:Sales')]);
    await sync([member('ann', 'g1:Trade'), member('bob', 'g2:Sales')]);
    const before = await events();
    expect(before).toContain('created Sales');
    expect(new Set((await groupIds()).values()).size).toBe(2);
    await sync([member('ann', 'g1:Sales'), member('bob', 'g2:Trade')]);
    expect((await events()).slice(before.length).sort()).toEqual(['updated Sales', 'updated Trade']);
  });

  it('agree on one group if concurrent batches read its key first', async () => {
    const batches = Array.from({ length: 6 }, (_, nth) => [
      member(`p${nth}`, nth % 2 ? 'g1:Old' : 'g1:New', `h${nth}:All`),
    ]);
    await sync(...batches);
    const all = await events();
    expect(all.filter((line) => /^created (Old|New)$/.test(line))).toHaveLength(1);
    expect(all.filter((line) => line === 'created All')).toHaveLength(6);
    const keys =
      'select count(*)::int as groups, count(distinct external_id)::int as keys from groups where tenant_id = $1';
    expect(await fixture.rows(keys, [tenant])).toEqual([{ groups: 7, keys: 7 }]);
  });

  it('are the same after an undo: the members of a renamed group stay', async () => {
    await sync([member('ann', 'g1:Sales')]);
    const job = await fixture.job(tenant, source);
    await applyBatch(database, await fixture.batch(tenant, source, job, 0, [member('ann', 'g1:Trade')]), {});
    await applyPlanned({ database, fixture, tenant }, job);
    const before = await events();
    await fixture.rows(`update sync_jobs set status = 'completed' where id = $1`, [job]);
    expect(await directory.operate('job.undo', { job_id: job, preview: false })).toMatchObject({
      status: 'done',
      result: { records_restored: 1 },
    });
    expect(await events()).toEqual(before);
  });

  it('belong to the tenant of the group', async () => {
    await sync([person('ann', 'All')]);
    const [before, other] = [await events(), await fixture.tenant()];
    [tenant, source] = [other, await fixture.connector(other)];
    await sync([person('ann', 'All')]);
    expect(await events()).toEqual(before);
    expect(before[0]).toBe('created All');
  });
});

describe("a change of what a tenant's lists show", () => {
  const yearMs = 366 * 86_400_000;

  beforeAll(async () => {
    await guardPositions(directory.fixture);
  });

  beforeEach(() => directory.newTenant());

  const identities = async () =>
    (
      await directory.fixture.rows<{ id: string }>(
        `select id from identities where tenant_id = $1 and status <> 'deleted' order by created_at, id`,
        [directory.tenant],
      )
    ).map(({ id }) => id);

  const connectors = () =>
    Promise.all([0, 1].map((priority) => directory.fixture.connector(directory.tenant, { priority })));

  async function position(): Promise<string> {
    const [found] = await directory.fixture.rows<{ last: number; at: string }>(
      'select last, last_at::text as at from event_sequences where tenant_id = $1',
      [directory.tenant],
    );
    return `${found?.last} ${found?.at}`;
  }

  it('moves the position of the tenant, in its transaction: imports, operations, erasures and purges in any order', async () => {
    const value = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const fields = fc.record({
      employee_number: value('1', '2', '3'),
      email: value('a@x.org', 'b@x.org'),
      first_name: value('Ann', 'Bob'),
      last_name: value('Lee'),
      status: value('active', 'inactive', 'deleted'),
      hire_date: value('2999-01-01', '2020-01-01'),
    });
    const sync = fc.record({
      kind: fc.constant('sync' as const),
      source: fc.nat(1),
      rows: fc.array(fc.tuple(fc.nat(3), fields), { minLength: 1, maxLength: 3 }),
    });
    const act = fc.record({
      kind: fc.constantFrom('erase' as const, 'merge' as const, 'wait' as const),
      which: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 2, arbitrary: sync }, act), { minLength: 3, maxLength: 8 }),
        async (steps) => {
          await directory.newTenant();
          const sources = await connectors();
          for (const step of steps) {
            const known = await identities();
            if (step.kind === 'sync') {
              const records = new Map(step.rows.map(([at, given]) => [`${step.source}-${at}`, given]));
              await directory.sync(
                sources[step.source] ?? '',
                [...records].map(([id, given]) =>
                  row(
                    id,
                    Object.fromEntries(Object.entries(given).filter(([, each]) => each !== undefined)) as Record<
                      string,
                      string
                    >,
                  ),
                ),
              );
            } else if (step.kind === 'wait')
              await applyDue(directory.database, directory.tenant, new Date(Date.now() + yearMs));
            else if (step.kind === 'erase' && known[step.which]) {
              await directory.operate('identity.erase', { identity_id: known[step.which] ?? '' });
            } else if (step.kind === 'merge' && known.length > 1) {
              await directory.operate('identity.merge', { into_id: known[0] ?? '', from_ids: known.slice(1, 2) });
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('moves it when a tombstone is purged', async () => {
    const [source = ''] = await connectors();
    await directory.sync(source, [row('1', { employee_number: '1' }), row('2', { employee_number: '2' })]);
    await directory.operate('identity.erase', { identity_id: (await identities())[0] ?? '' });
    const erased = await position();
    await applyDue(directory.database, directory.tenant, new Date(Date.now() + 10 * yearMs));
    expect(await position()).not.toBe(erased);
  });

  it('is found by the guard', async () => {
    await expect(
      directory.fixture.rows(
        `insert into identities (id, tenant_id, status, created_at, updated_at, document) values ($1, $2, 'active', now(), now(), '{}')`,
        [newUuid(), directory.tenant],
      ),
    ).rejects.toThrow('INSERT of identities moved no position');
  });
});
