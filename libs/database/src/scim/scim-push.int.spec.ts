import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, type Transaction } from '../database.js';
import { abandonPushed, forgetAbandoned, forgetPushedDeletions } from './forget-pushed.js';
import { findPushStanding, readPushedUser, readPushedUsers } from './read-pushed.js';
import { addScimMembers } from './scim-members.js';
import { beginPush } from './scim-positions.js';
import { deleteScimResource, insertScimResource, listScimResources } from './scim-resources.js';

const beginning = { position: 0, id: '00000000-0000-0000-0000-000000000000' };
const everything = { limit: 100, deletedToo: true };

let own: TestDatabase;
let gateway: Database;
let rows: DirectoryFixture;
let place: { tenantId: string; connectorId: string; kind: 'User' };

beforeAll(async () => {
  own = await createTestDatabase();
  gateway = await Database.connect({ url: own.url, service: 'gateway' });
  rows = DirectoryFixture.connect(own.url);
});

beforeEach(async () => {
  place = { tenantId: await rows.tenant(), connectorId: newUuid(), kind: 'User' };
});

afterAll(async () => {
  await rows?.close();
  await gateway?.close();
  await own?.drop();
});

const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => gateway.transaction(place.tenantId, work);

async function push(tx: Transaction, name: string): Promise<string> {
  const position = await beginPush(tx, place.tenantId, place.connectorId);
  const resource = { id: newUuid(), name, externalId: undefined, document: { userName: name }, position };
  return (await insertScimResource(tx, place, resource)).id;
}

const names = async () =>
  (await inTenant((tx) => readPushedUsers(tx, place.connectorId, beginning, everything))).map(
    ({ document }) => document?.userName,
  );

describe('who reads what was pushed', () => {
  it('waits for the push that is under way, so that none is missed by a job that it found queued', async () => {
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
    await rows.somebodyWaits();
    commit();
    await pushing;
    expect(await reading).toEqual(['ada']);
  });

  it('sees pushes in the order of their commits, whoever began first', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, index) => inTenant((tx) => push(tx, `user ${index}`))));
    const read = await inTenant((tx) => readPushedUsers(tx, place.connectorId, beginning, everything));
    expect(read.map(({ position }) => position)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  it('finds one user by its id, with its groups, and none that was deleted', async () => {
    const [ada, staff] = await inTenant(async (tx) => [await push(tx, 'ada'), await push(tx, 'staff')]);
    await inTenant((tx) => addScimMembers(tx, place.tenantId, staff, [ada]));
    const one = () => inTenant((tx) => readPushedUser(tx, place.connectorId, ada));
    expect(await one()).toMatchObject({ position: 1, document: { userName: 'ada' }, groups: [{ id: staff }] });
    await inTenant((tx) => deleteScimResource(tx, place, ada, 3));
    expect(await one()).toBeUndefined();
  });

  it('waits for no push to another connector', async () => {
    await inTenant(async (tx) => {
      await push(tx, 'ada');
      const mine = place;
      place = { ...place, connectorId: newUuid() };
      expect(await names()).toEqual([]);
      place = mine;
    });
  });
});

describe('what was deleted', () => {
  it('is forgotten after 30 days, which those are told who read last before it', async () => {
    const gone = await inTenant(async (tx) => {
      const id = await push(tx, 'ada');
      const position = await beginPush(tx, place.tenantId, place.connectorId);
      await deleteScimResource(tx, place, id, position);
      return id;
    });
    await inTenant((tx) => push(tx, 'bob'));
    expect(await forgetPushedDeletions(gateway, 10)).toBe(0);
    expect(await names()).toEqual([undefined, 'bob']);
    await rows.rows(`update scim_resources set deleted_at = deleted_at - interval '31 days' where id = $1`, [gone]);
    expect(await forgetPushedDeletions(gateway, 10)).toBe(1);
    expect(await names()).toEqual(['bob']);
    expect(await inTenant((tx) => findPushStanding(tx, place.connectorId))).toEqual({ last: 3, forgotten: 2 });
  });

  it('goes whole where the connector is, in portions, and leaves other connectors alone', async () => {
    const other = { ...place, connectorId: newUuid() };
    for (const name of ['a', 'b', 'c']) await inTenant((tx) => push(tx, name));
    const [first, second] = await inTenant((tx) => listScimResources(tx, place, {}, { limit: 2 }));
    await inTenant((tx) => addScimMembers(tx, place.tenantId, String(first?.id), [String(second?.id)]));
    const mine = place;
    place = other;
    await inTenant((tx) => push(tx, 'stays'));
    await inTenant((tx) => abandonPushed(tx, mine.tenantId, mine.connectorId));
    for (let portions = 0; (await forgetAbandoned(gateway, 2)) > 0; portions += 1) expect(portions).toBeLessThan(5);
    const left = await rows.rows('select name_key from scim_resources where tenant_id = $1', [mine.tenantId]);
    expect(left).toEqual([{ name_key: expect.stringContaining('stays') }]);
    expect(await rows.rows('select 1 from scim_members where tenant_id = $1', [mine.tenantId])).toEqual([]);
    expect(await rows.rows('select 1 from scim_positions where tenant_id = $1', [mine.tenantId])).toHaveLength(1);
  });
});

describe('a resource among many', () => {
  it('is found by an index, analysed or not: by its name, by what its provider calls it, behind another, and as it changed', async () => {
    const many = { ...place, connectorId: newUuid() };
    await rows.rows(
      `insert into scim_resources (tenant_id, connector_id, kind, id, name_key, external_key, document, position)
       select $1, $2::uuid, 'User', gen_random_uuid(), $2::text || ' User user ' || n, $2::text || ' User E' || n, '{}', n
         from generate_series(1, 20000) n`,
      [many.tenantId, many.connectorId],
    );
    const looks: ((tx: Transaction) => Promise<unknown[]>)[] = [
      (tx) => listScimResources(tx, many, { name: 'User 777' }, { limit: 5 }),
      (tx) => listScimResources(tx, many, { externalId: 'E777' }, { limit: 5 }),
      (tx) => listScimResources(tx, many, {}, { limit: 5 }),
      (tx) => readPushedUsers(tx, many.connectorId, { ...beginning, position: 10_000 }, { ...everything, limit: 5 }),
    ];
    for (const analysed of [false, true]) {
      if (analysed) await rows.rows('analyze scim_resources');
      const read = await Promise.all(looks.map((look) => rowsRead(look)));
      expect(read.map(({ found }) => found)).toEqual([1, 1, 5, 5]);
      for (const { fetched } of read) expect(fetched).toBeLessThanOrEqual(10);
    }
  });

  /** Rows of scim_resources that a look touches, by index or not. */
  async function rowsRead(look: (tx: Transaction) => Promise<unknown[]>) {
    return inTenant(async (tx) => {
      const counted = async () => {
        const [row] = await tx.query<{ count: string }>(
          `select seq_tup_read + idx_tup_fetch as count from pg_stat_xact_all_tables where relname = 'scim_resources'`,
        );
        return Number(row?.count ?? 0);
      };
      const before = await counted();
      const found = (await look(tx)).length;
      return { found, fetched: (await counted()) - before };
    });
  }
});
