import { encodeId, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { deleteRecords, insertRecords, type StoredRecord, updateRecords } from '@idsync/database/directory';
import { findGroupsByName } from '@idsync/database/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let directory: Database;
let tenant: string;
let key: string;
let source: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  directory = await Database.connect({ url: gateway.database.url, service: 'directory' });
});

beforeEach(async () => {
  [tenant, key] = await newTenant();
  source = await gateway.fixture.connector(tenant, { name: 'AD' });
});

afterAll(async () => {
  await directory?.close();
  await gateway?.close();
});

async function newTenant(scopes?: string[]): Promise<[id: string, key: string]> {
  const id = await gateway.fixture.tenant();
  return [id, await newKey(id, scopes)];
}

async function newKey(id: string, scopes?: string[]): Promise<string> {
  const { body } = await gateway.operator('POST', `/tenants/${encodeId('tenant', id)}/api-keys`, {
    name: 'test',
    scopes,
  });
  return body.key;
}

let made = Date.parse('2026-01-01T00:00:00Z');

function user(externalId: string, groups: string[], given: Partial<StoredRecord> = {}): StoredRecord {
  made += 1_000;
  const at = new Date(made);
  return {
    id: newUuid(),
    kind: 'user',
    connectorId: source,
    externalId,
    status: 'active',
    contentHash: Buffer.alloc(16),
    fields: { groups },
    changedAt: {},
    createdAt: at,
    updatedAt: at,
    document: JSON.stringify({ id: externalId }),
    lastJobId: newUuid(),
    lastSeq: 0,
    decided: false,
    statusSince: at,
    ...given,
  };
}

const insert = (...records: StoredRecord[]) =>
  directory.transaction(tenant, (tx) => insertRecords(tx, tenant, records));
const update = (record: StoredRecord, given: Partial<StoredRecord>) =>
  directory.transaction(tenant, (tx) => updateRecords(tx, [{ ...record, ...given }]));

async function get(path: string, as = key): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${gateway.url}/v1/${path}`, { headers: { 'x-api-key': as } });
  return { status: answer.status, body: await answer.json() };
}

/** The ids of groups by name. */
async function groups(query = '', as = key): Promise<Record<string, string>> {
  const { body } = await get(`groups${query}`, as);
  expect(body.total).toBe(body.data.length);
  return Object.fromEntries(body.data.map(({ id, name }: { id: string; name: string }) => [name, id]));
}

async function members(id: string | undefined, query = '', as = key): Promise<string[]> {
  const { body } = await get(`groups/${id}/members${query}`, as);
  return body.data.map((each: { id: string }) => each.id);
}

describe('groups', () => {
  it('are those that users of a source name, with their members in creation order', async () => {
    await insert(user('1', ['Sales', 'All']), user('2', ['All', 'All']), user('3', []));
    const found = await groups();
    expect(Object.keys(found).sort()).toEqual(['All', 'Sales']);
    expect(await members(found.All)).toEqual(['1', '2']);
    expect(await members(found.Sales)).toEqual(['1']);
    expect(await get(`groups/${found.Sales}`)).toEqual({
      status: 200,
      body: {
        id: found.Sales,
        name: 'Sales',
        source_id: encodeId('connector', source),
        created_at: expect.stringMatching(/^2026-01-01T/),
      },
    });
  });

  it('of the same name in two sources are two groups', async () => {
    const other = await gateway.fixture.connector(tenant, { name: 'Okta' });
    await insert(user('1', ['Sales']), user('2', ['Sales'], { connectorId: other }));
    expect((await get('groups')).body.data).toHaveLength(2);
    const id = encodeId('connector', other);
    expect(await members((await groups(`?source=${id}`)).Sales)).toEqual(['2']);
    expect(await members((await groups(`?source=${id}&name=Sales`)).Sales)).toEqual(['2']);
    expect(await groups(`?source=${id}&name=sales`)).toEqual({});
    expect(await groups(`?source=${encodeId('connector', newUuid())}`)).toEqual({});
  });

  it('follow their users: a renamed group has another id, and one without members is not shown', async () => {
    const [ann, bob] = [user('1', ['Sales']), user('2', ['Sales'])];
    await insert(ann, bob);
    const { Sales } = await groups();
    await update(ann, { fields: { groups: ['Trade'] } });
    const both = await groups();
    expect(both).toEqual({ Sales, Trade: expect.any(String) });
    expect(await members(both.Trade)).toEqual(['1']);
    await directory.transaction(tenant, (tx) => deleteRecords(tx, [bob.id]));
    expect(Object.keys(await groups())).toEqual(['Trade']);
    expect((await get(`groups/${Sales}`)).status).toBe(404);
    expect((await get(`groups/${Sales}/members`)).status).toBe(404);
    expect(await findGroupsByName(directory, tenant, 'Sales')).toEqual([]);
    expect(await findGroupsByName(directory, tenant, 'Trade')).toMatchObject([{ name: 'Trade', connectorId: source }]);
    await update(ann, { fields: { groups: ['Sales'] } });
    expect(await groups()).toEqual({ Sales });
  });

  it('have no deleted users, and get them back when they return', async () => {
    const ann = user('1', ['Sales']);
    await insert(ann, user('2', ['Sales'], { status: 'inactive' }));
    const { Sales } = await groups();
    await update(ann, { status: 'deleted' });
    expect(await members(Sales)).toEqual(['2']);
    expect(await members(Sales, '?status=active')).toEqual([]);
    await update(ann, {});
    expect(await members(Sales)).toEqual(['1', '2']);
    expect(await members(Sales, '?status=active')).toEqual(['1']);
  });

  it('continue by cursor, also their members', async () => {
    await insert(user('1', ['A', 'B', 'C']), user('2', ['A', 'D']), user('3', ['A']));
    const names: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body }: { body: Body } = await get(`groups?limit=3&cursor=${cursor}`);
      names.push(...body.data.map(({ name }: { name: string }) => name));
      cursor = body.next_cursor;
    }
    expect([...names].sort()).toEqual(['A', 'B', 'C', 'D']);
    const { A } = await groups();
    const first = await get(`groups/${A}/members?limit=2&cursor=`);
    expect(first.body).toMatchObject({ data: [{ id: '1' }, { id: '2' }], total: 3 });
    expect(await members(A, `?limit=2&cursor=${first.body.next_cursor}`)).toEqual(['3']);
    expect((await get('groups?limit=1&offset=1')).body.data).toHaveLength(1);
  });

  it('are counted up to 10000', async () => {
    const add = (from: number, to: number) =>
      gateway.fixture.rows(
        `with made as (
           insert into groups (id, tenant_id, connector_id, name, term, created_at)
           select gen_random_uuid(), $1, $2, n, n, now() from generate_series($3::integer, $4) n returning term, created_at)
         insert into list_terms (tenant_id, term, created_at, record_id)
         select $1, term, created_at, gen_random_uuid() from made`,
        [tenant, source, from, to],
      );
    await add(1, 10_000);
    const { body } = await get('groups?limit=1');
    expect([body.total, body.total_is_estimate]).toEqual([10_000, undefined]);
    await add(10_001, 10_001);
    expect((await get('groups?limit=1')).body).toMatchObject({ total: 10_000, total_is_estimate: true });
  });

  it('filter users and identities', async () => {
    const identityId = newUuid();
    await insert(user('1', ['Sales'], { identityId }), user('2', ['Board']));
    await gateway.fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       values ($1, $2, 'active', now(), now(), '{"id":"ann"}')`,
      [tenant, identityId],
    );
    const { Sales, Board } = await groups();
    expect((await get(`users?group=${Board}`)).body.data).toEqual([{ id: '2' }]);
    expect((await get(`identities?group=${Sales}&status=active`)).body.data).toEqual([{ id: 'ann' }]);
    expect(await get('users?group=Sales')).toMatchObject({
      status: 400,
      body: { error: 'group must be the id of a group' },
    });
  });

  it('and their members are those of the tenant only, and need their scopes', async () => {
    await insert(user('1', ['Sales']));
    const { Sales } = await groups();
    const [, others] = await newTenant();
    expect(await groups('', others)).toEqual({});
    expect((await get(`groups/${Sales}`, others)).status).toBe(404);
    expect((await get(`groups/${Sales}/members`, others)).status).toBe(404);
    expect((await get(`users?group=${Sales}`, others)).body).toMatchObject({ data: [], total: 0 });
    const onlyGroups = await newKey(tenant, ['groups:read']);
    expect((await get('groups', onlyGroups)).status).toBe(200);
    expect((await get(`groups/${Sales}/members`, onlyGroups)).status).toBe(403);
    const onlyUsers = await newKey(tenant, ['users:read']);
    expect((await get(`groups/${Sales}`, onlyUsers)).status).toBe(403);
  });

  it.each([
    ['groups?source=x', 'source must be the id of a connector'],
    ['groups?name=Sales', 'name must be given together with source'],
    ['groups?limit=0', 'limit must be an integer of at least 1'],
    ['groups?cursor=x', 'cursor must be'],
  ])('reject an invalid query: %s', async (path, error) => {
    const { status, body } = await get(path);
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining(error) });
  });
});
