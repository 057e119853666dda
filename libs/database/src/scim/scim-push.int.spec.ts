import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, type Transaction } from '../database.js';
import { deletePushedOfDeletedConnectors, markPushedForDeletion, purgeScimTombstones } from './delete-pushed.js';
import { findPushPosition, readPushedUser, readPushedUsers } from './read-pushed.js';
import { addScimMembers, listScimMemberships } from './scim-members.js';
import { beginPush } from './scim-positions.js';
import {
  countScimResources,
  deleteScimResource,
  eraseScimUser,
  findExistingScimIds,
  findScimResource,
  insertScimResource,
  readScimResources,
  replaceScimResource,
  touchScimResources,
} from './scim-resources.js';

const beginning = { position: 0, id: '00000000-0000-0000-0000-000000000000' };
const everything = { limit: 100, deletedToo: true };

let own: TestDatabase;
let gateway: Database;
let directory: Database;
let rows: DirectoryFixture;
let place: { tenantId: string; connectorId: string; kind: 'User' };

beforeAll(async () => {
  own = await createTestDatabase();
  gateway = await Database.connect({ url: own.url, service: 'gateway' });
  directory = await Database.connect({ url: own.url, service: 'directory' });
  rows = DirectoryFixture.connect(own.url);
});

beforeEach(async () => {
  place = { tenantId: await rows.tenant(), connectorId: newUuid(), kind: 'User' };
});

afterAll(async () => {
  await rows?.close();
  await gateway?.close();
  await directory?.close();
  await own?.drop();
});

const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => gateway.transaction(place.tenantId, work);

async function resources(...call: Parameters<typeof readScimResources>) {
  const read = [];
  for await (const row of readScimResources(...call)) read.push(row);
  return read;
}

async function push(tx: Transaction, name: string): Promise<string> {
  const position = await beginPush(tx, place.connectorId);
  const resource = { id: newUuid(), name, externalId: undefined, document: { userName: name }, position };
  return (await insertScimResource(tx, place, resource)).id;
}

const names = async () =>
  (await inTenant((tx) => readPushedUsers(tx, place.connectorId, beginning, everything))).users.map(
    ({ document }) => document?.userName,
  );

describe('reading pushed users', () => {
  it('waits for a push in progress, so that a job it found queued misses nothing', async () => {
    let commit = () => {};
    let pushed = () => {};
    const began = new Promise<void>((resolve) => {
      pushed = resolve;
    });
    const pushing = inTenant(async (tx) => {
      await push(tx, 'ada');
      pushed();
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
    await began;
    const reading = names();
    await rows.waitForBlockedLock();
    commit();
    await pushing;
    expect(await reading).toEqual(['ada']);
  });

  it('returns pushes in commit order, independent of their start', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, index) => inTenant((tx) => push(tx, `user ${index}`))));
    const { users } = await inTenant((tx) => readPushedUsers(tx, place.connectorId, beginning, everything));
    expect(users.map(({ position }) => position)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  it('finds a user by id with its groups, unless it was deleted', async () => {
    const [ada, staff] = await inTenant(async (tx) => [await push(tx, 'ada'), await push(tx, 'staff')]);
    await inTenant((tx) => addScimMembers(tx, staff, [ada]));
    const one = () => inTenant((tx) => readPushedUser(tx, place.connectorId, ada));
    expect(await one()).toMatchObject({ position: 1, document: { userName: 'ada' }, groups: [{ id: staff }] });
    await inTenant((tx) => deleteScimResource(tx, place, { id: ada, document: {} }, 3));
    expect(await one()).toBeUndefined();
  });

  it('ends a page before the user whose groups exceed 20000, unless it is the first one', async () => {
    for (const name of ['ada', 'bob', 'eve', 'ida']) await inTenant((tx) => push(tx, name));
    await rows.rows(
      `insert into scim_members (group_id, member_id, tenant_id)
       select gen_random_uuid(), id, $1 from scim_resources cross join generate_series(1, 20001) n
        where connector_id = $2 and position in (1, 4)`,
      [place.tenantId, place.connectorId],
    );
    const pages: unknown[] = [];
    for (let after = beginning, isLast = false; !isLast; ) {
      const page = await inTenant((tx) => readPushedUsers(tx, place.connectorId, after, everything));
      pages.push(page.users.map(({ position }) => position));
      isLast = page.last || page.users.length === 0;
      after = page.users.at(-1) ?? after;
    }
    expect(pages).toEqual([[1], [2, 3], [4]]);
  });

  it('does not wait for pushes to another connector', async () => {
    await inTenant(async (tx) => {
      await push(tx, 'ada');
      const mine = place;
      place = { ...place, connectorId: newUuid() };
      expect(await names()).toEqual([]);
      place = mine;
    });
  });
});

describe('deleted pushed resources', () => {
  it('are removed after 30 days, which readers with an earlier position can detect', async () => {
    const gone = await inTenant(async (tx) => {
      const id = await push(tx, 'ada');
      const position = await beginPush(tx, place.connectorId);
      await deleteScimResource(tx, place, { id, document: {} }, position);
      return id;
    });
    await inTenant((tx) => push(tx, 'bob'));
    expect(await purgeScimTombstones(gateway, 10)).toBe(0);
    expect(await names()).toEqual([undefined, 'bob']);
    await rows.rows(`update scim_resources set deleted_at = deleted_at - interval '31 days' where id = $1`, [gone]);
    expect(await purgeScimTombstones(gateway, 10)).toBe(1);
    expect(await names()).toEqual(['bob']);
    expect(await inTenant((tx) => findPushPosition(tx, place.connectorId))).toEqual({ last: 3, forgotten: 2 });
  });

  it('are deleted in batches with their connector, without affecting others', async () => {
    const other = { ...place, connectorId: newUuid() };
    for (const name of ['a', 'b', 'c']) await inTenant((tx) => push(tx, name));
    const [first, second] = await inTenant((tx) => resources(tx, place, {}, { limit: 2 }));
    await inTenant((tx) => addScimMembers(tx, String(first?.id), [String(second?.id)]));
    const mine = place;
    place = other;
    await inTenant((tx) => push(tx, 'stays'));
    await inTenant((tx) => markPushedForDeletion(tx, mine.connectorId));
    for (let portions = 0; (await deletePushedOfDeletedConnectors(gateway, 2)) > 0; portions += 1)
      expect(portions).toBeLessThan(5);
    const left = await rows.rows('select name_key from scim_resources where tenant_id = $1', [mine.tenantId]);
    expect(left).toEqual([{ name_key: expect.stringContaining('stays') }]);
    expect(await rows.rows('select 1 from scim_members where tenant_id = $1', [mine.tenantId])).toEqual([]);
    expect(await rows.rows('select 1 from scim_positions where tenant_id = $1', [mine.tenantId])).toHaveLength(1);
  });
});

describe('the totals of a connector', () => {
  const total = () => inTenant((tx) => countScimResources(tx, place, {}));
  const counted = async () =>
    (await rows.rows('select users, groups from scim_positions where connector_id = $1', [place.connectorId]))[0];

  it('follow creates, deletions and erasures', async () => {
    const [first, second] = await inTenant(async (tx) => [
      await push(tx, 'a'),
      await push(tx, 'b'),
      await push(tx, 'c'),
    ]);
    expect(await total()).toBe(3);
    await inTenant(async (tx) => {
      const position = await beginPush(tx, place.connectorId);
      await deleteScimResource(tx, place, { id: String(first), document: {} }, position);
      const group = {
        id: newUuid(),
        name: 'Staff',
        externalId: undefined,
        document: { displayName: 'Staff' },
        position,
      };
      await insertScimResource(tx, { ...place, kind: 'Group' }, group);
    });
    expect(await total()).toBe(2);
    const erase = (id: string | undefined) =>
      directory.transaction(place.tenantId, (tx) => eraseScimUser(tx, place, String(id)));
    await erase(second);
    await erase(first);
    expect(await total()).toBe(1);
    expect(await counted()).toEqual({ users: 1, groups: 1 });
    expect(await inTenant((tx) => countScimResources(tx, { ...place, kind: 'Group' }, {}))).toBe(1);
  });

  it('do not include a push that failed beside others', async () => {
    await inTenant(async (tx) => {
      await push(tx, 'a');
      await expect(tx.attempt(() => push(tx, 'a'))).rejects.toThrow('duplicate key');
      await push(tx, 'b');
    });
    expect(await counted()).toEqual({ users: 2, groups: 0 });
  });
});

describe('a SCIM resource among many', () => {
  it('is found by an index, with and without statistics: by id, name, externalId, page position and order of changes, or as a former one', async () => {
    const many = { ...place, connectorId: newUuid() };
    await rows.rows('alter table scim_resources set (autovacuum_enabled = false)');
    await rows.rows(
      `insert into scim_resources (tenant_id, connector_id, kind, id, name_key, external_key, document, position)
       select $1, $2::uuid, 'User', gen_random_uuid(), $2::text || ' User user ' || n, $2::text || ' User E' || n, '{}', n
         from generate_series(1, 20000) n`,
      [many.tenantId, many.connectorId],
    );
    const [{ id } = { id: '' }] = await rows.rows<{ id: string }>(
      'select id from scim_resources where connector_id = $1 and position = 777',
      [many.connectorId],
    );
    const changed = { id, name: 'Ada', externalId: undefined, document: { userName: 'Ada' }, position: 30_000 };
    const looks: ((tx: Transaction) => Promise<unknown[]>)[] = [
      async (tx) => [(await findScimResource(tx, many, id))?.id],
      (tx) => resources(tx, many, { ids: [id] }, { limit: 5 }),
      async (tx) => [...(await findExistingScimIds(tx, many, [id]))],
      async (tx) => [(await readPushedUser(tx, many.connectorId, id))?.position],
      async (tx) => [await replaceScimResource(tx, many, changed)],
      async (tx) => [await touchScimResources(tx, many, [id], 30_000)],
      async (tx) => [await deleteScimResource(tx, many, { id, document: {} }, 30_000)],
      async (tx) => [await insertScimResource(tx, many, { ...changed, id: newUuid(), name: 'former 777' })],
      (tx) => resources(tx, many, { name: 'User 777' }, { limit: 5 }),
      (tx) => resources(tx, many, { externalId: 'E777' }, { limit: 5 }),
      (tx) => resources(tx, many, {}, { limit: 5 }),
      async (tx) =>
        (await readPushedUsers(tx, many.connectorId, { ...beginning, position: 10_000 }, { ...everything, limit: 5 }))
          .users,
      (tx) => listScimMemberships(tx, many.connectorId, 'members', [String(staff?.id)], 64),
    ];
    await rows.rows(
      `insert into scim_resources (tenant_id, connector_id, kind, id, name_key, document)
       values ($1, $2::uuid, 'Group', gen_random_uuid(), $2::text || ' Group staff', '{"displayName":"Staff"}')`,
      [many.tenantId, many.connectorId],
    );
    const [staff] = await inTenant((tx) => resources(tx, { ...many, kind: 'Group' }, {}, { limit: 1 }));
    await rows.rows(
      `insert into scim_members (group_id, member_id, tenant_id)
       select (select id from scim_resources where connector_id = $2 and position is null), id, $1
         from scim_resources where connector_id = $2 and position between 10001 and 10003`,
      [many.tenantId, many.connectorId],
    );
    // Their ids follow those of the others, so that a page of these reads no deleted ones.
    await rows.rows(
      `insert into scim_resources
         (tenant_id, connector_id, kind, id, name_key, former_key, document, position, deleted_at)
       select $1, $2::uuid, 'User', ('ffffffff-ffff-4fff-bfff-' || lpad(n::text, 12, '0'))::uuid, '',
              encode(sha256(convert_to($2::text || ' User former ' || n, 'UTF8')), 'hex'), '{}', n, now()
         from generate_series(1, 20000) n`,
      [many.tenantId, many.connectorId],
    );
    for (const analysed of [false, true]) {
      if (analysed) await rows.rows('analyze scim_resources');
      const read = await Promise.all(looks.map((look) => rowsRead(look)));
      expect(read.map(({ found }) => found)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 3]);
      for (const { fetched } of read) expect(fetched).toBeLessThanOrEqual(10);
    }
  });

  /** Rows of scim_resources that a statement reads, by index or scan. It is rolled back. */
  async function rowsRead(look: (tx: Transaction) => Promise<unknown[]>) {
    return inTenant(async (tx) => {
      const counted = async () => {
        const [row] = await tx.query<{ count: string }>(
          `select seq_tup_read + idx_tup_fetch as count from pg_stat_xact_all_tables where relname = 'scim_resources'`,
        );
        return Number(row?.count ?? 0);
      };
      const before = await counted();
      const found = (await tx.rolledBack(() => look(tx))).length;
      return { found, fetched: (await counted()) - before };
    });
  }
});
