import { decodeId, encodeId, newUuid, type RecordKind } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { assignTime } from '@idsync/database/bus';
import {
  deleteRecords,
  insertRecords,
  resolveGroups,
  type StoredRecord,
  saveGroups,
  updateRecords,
} from '@idsync/database/directory';
import { findGroupsByName, findGroupsOf } from '@idsync/database/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let directory: Database;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  directory = await Database.connect({ url: gateway.database.url, service: 'directory' });
});

afterAll(async () => {
  await directory?.close();
  await gateway?.close();
});

describe('lists of records:', () => {
  let key: string;
  let otherKey: string;
  let tenant: string;
  let hr: string;
  const owner = newUuid();
  const boss = newUuid();

  beforeAll(async () => {
    [tenant, key] = await newTenant();
    [, otherKey] = await newTenant();
    hr = await gateway.fixture.connector(tenant, { name: 'HR' });
    const records = [
      record(
        'user',
        '1',
        { display_name: 'Ann Lee', email: 'ann@x.org', departments: 'Büro', 'attributes.cost_center': '47 11' },
        { identityId: owner, connectorId: hr, managerId: boss },
      ),
      record('account', 'ann', { display_name: 'Ann Lee' }, { identityId: owner, connectorId: hr }),
      record('account', 'bob', { display_name: 'Bob Ray', identifier: 'bray' }),
      record('account', 'old', {}, { status: 'deleted' }),
      record(
        'machine_identity',
        'bot',
        { display_name: 'Deploy Bot', classification: 'bot' },
        {
          identityId: newUuid(),
          machine: { people: { owned_by: owner }, handedOver: false, risk: { score: 70, factors: [] } },
          document: JSON.stringify({ id: 'bot', owned_by: encodeId('identity', owner) }),
        },
      ),
      record(
        'machine_identity',
        'job',
        { display_name: 'Nightly' },
        {
          identityId: newUuid(),
          status: 'orphaned',
          document: JSON.stringify({ id: 'job', owned_by: 'CORP\\nobody' }),
        },
      ),
    ];
    await directory.transaction(tenant, (tx) => insertRecords(tx, records));
    await gateway.fixture.rows(
      `insert into identities (tenant_id, id, status, display_name, created_at, updated_at, document)
     values ($1, $2, 'active', 'Ann Lee', now(), now(), '{"id":"ann"}')`,
      [tenant, owner],
    );
    await gateway.fixture.rows(
      `insert into machine_references (tenant_id, record_id, role, value, identity_id) values ($1, $2, 'owned_by', 'x', $3)`,
      [tenant, records[4]?.id, owner],
    );
  });

  async function newTenant(): Promise<[id: string, key: string]> {
    const id = await gateway.fixture.tenant();
    const { body } = await gateway.operator('POST', `/tenants/${encodeId('tenant', id)}/api-keys`, { name: 'test' });
    return [id, body.key];
  }

  function record(
    kind: RecordKind,
    externalId: string,
    fields: Record<string, string>,
    given: Partial<StoredRecord> = {},
  ): StoredRecord {
    const at = new Date();
    return {
      id: newUuid(),
      kind,
      connectorId: newUuid(),
      externalId,
      status: 'active',
      contentHash: Buffer.alloc(16),
      fields: Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, [value]])),
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

  async function get(path: string, as = key): Promise<{ status: number; body: Body }> {
    const answer = await fetch(`${gateway.url}/v1/${path}`, { headers: { 'x-api-key': as } });
    return { status: answer.status, body: await answer.json() };
  }
  const ids = async (path: string, as?: string) => (await get(path, as)).body.data.map(({ id }: { id: string }) => id);

  describe('the list of machine identities for operators', () => {
    it('names the owner, unless it is a value from the source', async () => {
      const path = `/tenants/${encodeId('tenant', tenant)}/machine-identities`;
      const { body } = await gateway.operator('GET', path);
      const owned_by = encodeId('identity', owner);
      expect(body).toEqual({
        data: [
          { id: 'bot', owned_by, owner_name: 'Ann Lee' },
          { id: 'job', owned_by: 'CORP\\nobody' },
        ],
        total: 2,
        limit: 50,
        offset: 0,
      });
      expect((await get('machine-identities')).body.data).toEqual(
        body.data.map(({ owner_name, ...rest }: Body) => rest),
      );
      const { body: pages } = await gateway.operator('GET', `${path}?cursor=&limit=1`);
      expect(pages).toMatchObject({ data: [{ id: 'bot' }], next_cursor: expect.any(String) });
    });
  });

  describe('the lists of the public API', () => {
    it.each([
      ['accounts', ['ann', 'bob']],
      ['accounts?matched=false', ['bob']],
      ['accounts?matched=true', ['ann']],
      ['accounts?status=deleted', ['old']],
      ['accounts?q=bray', ['bob']],
      ['accounts?q=bray&matched=true', []],
      ['machine-identities', ['bot', 'job']],
      ['machine-identities?classification=bot', ['bot']],
      ['machine-identities?classification=unknown', ['job']],
      ['machine-identities?status=orphaned', ['job']],
      ['machine-identities?min_risk=50&max_risk=70', ['bot']],
      ['machine-identities?max_risk=60', []],
      ['machine-identities?min_risk=71', []],
      [`machine-identities?owned_by=${encodeId('identity', owner)}`, ['bot']],
      ['users?q=lee', ['1']],
      ['users?email=ANN@x.org', ['1']],
      ['users?email=bob@x.org', []],
      ['identities?q=ann%20lee', ['ann']],
      ['identities?employee_number=17', []],
      ['identities?department=buro', ['ann']],
      ['identities?department=board', []],
      ['users?attributes.cost_center=47%20%2011', ['1']],
      ['users?attributes.cost_center=4711', []],
      ['identities?attributes.cost_center=47%2011&department=buro&q=lee&status=active', ['ann']],
      ['identities?attributes.cost_center=47%2011&attributes.floor=1', []],
      [`users?manager_id=${encodeId('identity', boss)}`, ['1']],
      [`identities?manager_id=${encodeId('identity', owner)}`, []],
      ['identities?department=buro&cursor=&updated_since=2026-01-01T00:00:00Z', ['ann']],
    ])('are filtered: %s', async (path, expected) => {
      const { status, body } = await get(path);
      expect({ status, ids: body.data?.map(({ id }: { id: string }) => id) }).toEqual({ status: 200, ids: expected });
      expect(body.total).toBe(expected.length);
      expect(body).not.toHaveProperty('total_is_estimate');
      expect(await ids(path, otherKey)).toEqual([]);
    });

    it('find a record by its source and external id', async () => {
      const connector = encodeId('connector', hr);
      expect(await ids(`identities?external_id=1&connector_id=${connector}`)).toEqual(['ann']);
      expect(await ids(`users?external_id=2&connector_id=${connector}`)).toEqual([]);
    });

    it('find the people of a source, and continue by cursor', async () => {
      const source = `source=${encodeId('connector', hr)}`;
      expect(await ids(`users?${source}`)).toEqual(['1']);
      const { body } = await get(`identities?${source}&limit=1&cursor=`);
      expect(body.data).toEqual([{ id: 'ann' }]);
      expect(await ids(`identities?${source}&limit=1&cursor=${body.next_cursor}`)).toEqual([]);
      expect(await ids(`identities?${source}`, otherKey)).toEqual([]);
    });

    it('find the accounts and machine identities of a source', async () => {
      const source = `source=${encodeId('connector', hr)}`;
      expect(await ids(`accounts?${source}`)).toEqual(['ann']);
      expect(await ids(`accounts?${source}&matched=false`)).toEqual([]);
      expect(await ids(`accounts?${source}&q=ann`)).toEqual(['ann']);
      expect(await ids(`accounts?${source}&q=bray`)).toEqual([]);
      expect(await ids(`machine-identities?${source}`)).toEqual([]);
      const { body } = await get(`accounts?${source}&limit=1&cursor=`);
      expect(await ids(`accounts?${source}&limit=1&cursor=${body.next_cursor}`)).toEqual([]);
      expect(await ids(`accounts?${source}`, otherKey)).toEqual([]);
    });

    it('return machine identities by risk, also by cursor, and those without a score last', async () => {
      const [id, machinesKey] = await newTenant();
      const source = newUuid();
      const risks: readonly (readonly [string, number?])[] = [
        ...([['low', 20], ['new'], ['none', 0]] as const),
        ...([
          ['high', 70],
          ['top', 100],
          ['also-high', 70],
        ] as const),
      ];
      const records = risks.map(([name, score], nth) =>
        record(
          'machine_identity',
          name,
          {},
          {
            createdAt: new Date(Date.UTC(2026, 0, 1 + nth)),
            ...(nth < 3 && { connectorId: source }),
            ...(score !== undefined && {
              identityId: newUuid(),
              machine: { people: {}, handedOver: false, risk: { score, factors: [] } },
            }),
          },
        ),
      );
      await directory.transaction(id, (tx) => insertRecords(tx, records));
      const expected = ['top', 'high', 'also-high', 'low', 'none', 'new'];
      const path = 'machine-identities?sort=risk';
      expect(await ids(path, machinesKey)).toEqual(expected);
      expect(await ids(`${path}&limit=2&offset=1`, machinesKey)).toEqual(expected.slice(1, 3));
      expect(await ids(`${path}&max_risk=70&source=${encodeId('connector', source)}`, machinesKey)).toEqual([
        'low',
        'none',
      ]);
      const paged: string[] = [];
      for (let cursor = ''; cursor !== undefined; ) {
        const { body } = await get(`${path}&limit=2&cursor=${cursor}`, machinesKey);
        expect(body.total).toBe(6);
        paged.push(...body.data.map((each: Body) => each.id));
        cursor = body.next_cursor;
      }
      expect(paged).toEqual(expected);
      const { body } = await get(`${path}&limit=2&cursor=`, machinesKey);
      expect((await get(`machine-identities?cursor=${body.next_cursor}`, machinesKey)).status).toBe(400);
      const other = await get('machine-identities?limit=2&cursor=', machinesKey);
      expect((await get(`${path}&cursor=${other.body.next_cursor}`, machinesKey)).status).toBe(400);
      expect((await get(`${path}&q=high`, machinesKey)).body.error).toContain('sort: cannot be combined with q');
      expect((await get('machine-identities?sort=name', machinesKey)).status).toBe(400);
    });

    it('accept names of attributes in strict handling, and no other unknown name', async () => {
      const strict = (query: string) =>
        fetch(`${gateway.url}/v1/users?${query}`, { headers: { 'x-api-key': key, prefer: 'handling=strict' } });
      expect((await strict('attributes.cost_center=1')).status).toBe(200);
      for (const query of ['attributes=1', 'attributes[a]=1', 'attribute.a=1'])
        expect((await strict(query)).status).toBe(400);
    });

    it.each([
      ['identities?q=a', 'q must have at least two letters or digits'],
      ['identities?email=', 'email'],
      ['users?external_id=1', 'external_id must be given together with connector_id'],
      ['users?external_id=1&connector_id=x', 'connector_id must be the id of a connector'],
      ['accounts?matched=yes', 'matched must be true or false'],
      ['machine-identities?min_risk=101', 'min_risk must be at most 100'],
      ['machine-identities?owned_by=x', 'owned_by must be the id of an identity'],
      ['identities?manager_id=x', 'manager_id must be the id of an identity'],
      ['users?source=HR', 'source must be the id of a connector'],
      ['accounts?source=HR', 'source must be the id of a connector'],
      ['users?department=', 'department'],
      ['users?department=a&department=b', 'department'],
      ['users?attributes.cost_center=', 'attributes.cost_center'],
      ['users?attributes.a=1&attributes.a=2', 'attributes.a'],
      ['users?attributes.Cost%20Center=1', 'attributes.Cost Center must match'],
      ['users?attributes.__proto__=1', 'attributes.__proto__ must match'],
      ['users?attributes.email=ann@x.org', 'attributes.email must be a custom attribute, not a field of users'],
      [
        `users?${[1, 2, 3, 4, 5, 6].map((n) => `attributes.a${n}=1`).join('&')}`,
        'attributes must be at most 5 filters',
      ],
      ['users?department=x&offset=10001', 'offset must be at most 10000 with this filter, got 10001'],
    ])('reject an invalid filter: %s', async (path, error) => {
      const { status, body } = await get(path);
      expect(status).toBe(400);
      expect(body.error).toContain(error);
    });

    it('continue by cursor', async () => {
      const first = await get('accounts?limit=1&cursor=');
      expect(first.body.data).toEqual([{ id: 'ann' }]);
      expect(await ids(`accounts?limit=1&cursor=${first.body.next_cursor}`)).toEqual(['bob']);
      const found = await get('accounts?limit=1&cursor=&q=an');
      expect(await ids(`accounts?limit=1&q=an&cursor=${found.body.next_cursor}`)).toEqual([]);
    });

    it('name the connectors without their configuration', async () => {
      const { body } = await get('connectors');
      expect(body).toEqual({
        data: [{ id: encodeId('connector', hr), name: 'HR', type: 'csv', records: 'user', health: expect.any(String) }],
        total: 1,
        limit: 50,
        offset: 0,
      });
      expect(await ids('connectors', otherKey)).toEqual([]);
    });

    it('are the same for operators except for names of owners, and 404 for an unknown tenant', async () => {
      const path = `/tenants/${encodeId('tenant', tenant)}`;
      for (const list of [
        'identities?q=lee',
        'identities?department=buro&attributes.cost_center=47%2011',
        'users?department=buro&attributes.cost_center=47%2011',
        'groups',
        'accounts?matched=false',
        'machine-identities?min_risk=1',
      ]) {
        const { body } = await get(list);
        if (list.startsWith('machine-identities')) body.data[0].owner_name = 'Ann Lee';
        expect(await gateway.operator('GET', `${path}/${list}`)).toEqual({ status: 200, body });
        const unknown = `/tenants/${encodeId('tenant', newUuid())}/${list}`;
        expect(await gateway.operator('GET', unknown)).toMatchObject({ status: 404 });
      }
    });
  });
});

describe('groups', () => {
  let tenant: string;
  let key: string;
  let source: string;

  beforeEach(async () => {
    [tenant, key] = await newTenant();
    source = await gateway.fixture.connector(tenant, { name: 'AD' });
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

  const insert = (...records: StoredRecord[]) => directory.transaction(tenant, (tx) => insertRecords(tx, records));
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
        external_id: 'Sales',
        source_id: encodeId('connector', source),
        created_at: expect.stringMatching(/^2026-01-01T/),
        updated_at: expect.stringMatching(/^2026-01-01T/),
        members_total: 1,
      },
    });
  });

  it('count their members up to a limit for all groups of an answer', async () => {
    await insert(...Array.from({ length: 260 }, (_, nth) => user(`${nth}`, ['All'])));
    const { All } = await groups();
    const { body } = await get(`groups/${All}`);
    expect(body).toMatchObject({ members_total: 260 });
    expect(body).not.toHaveProperty('members_total_is_estimate');
    expect((await get('groups?limit=200')).body.data).toMatchObject([
      { members_total: 250, members_total_is_estimate: true },
    ]);
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

  it('with a key have their former id after a rename, and are found by their present name', async () => {
    const ann = user('1', ['Sales']);
    const reading = (jobId: string) => ({ jobId, connectorId: source });
    const name = (jobId: string, ...names: [key: string, name: string][]) =>
      directory.transaction(tenant, async (tx) => {
        const listed = new Map(names.map(([key, each]) => [key, new Set([each])]));
        const found = await resolveGroups(tx, reading(jobId), listed);
        return saveGroups(tx, reading(jobId), found.values(), new Date('2026-02-01'));
      });
    await insert(ann);
    const { Sales } = await groups();
    await name(newUuid(), ['g1', 'Sales']);
    expect(await groups()).toEqual({ Sales });
    await name(newUuid(), ['g1', 'Trade'], ['g2', 'Sales']);
    const ids = { groups: ['Trade'], group_ids: [decodeId('group', Sales ?? '') ?? ''] };
    await update(ann, { fields: ids });
    expect(await groups()).toEqual({ Trade: Sales });
    expect((await get(`groups/${Sales}`)).body).toMatchObject({
      external_id: 'g1',
      updated_at: '2026-02-01T00:00:00.000Z',
    });
    const id = encodeId('connector', source);
    expect(await groups(`?source=${id}&name=Trade`)).toEqual({ Trade: Sales });
    expect(await groups(`?source=${id}&name=Sales`)).toEqual({});
    expect(await members(Sales)).toEqual(['1']);
    expect((await findGroupsOf(directory, tenant, [ann.id])).get(ann.id)).toEqual([
      { id: decodeId('group', Sales ?? ''), name: 'Trade' },
    ]);
  });

  it('follow their users: without keys, a renamed group has another id, and one without members is not shown', async () => {
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

describe('a conditional request', () => {
  let key: string;
  let tenant: string;
  const person = newUuid();

  beforeAll(async () => {
    ({ tenant, key } = await newTenant());
    await gateway.fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     values ($1, $2, 'active', now(), now(), '{"id":"ann","name":"Ann"}')`,
      [tenant, person],
    );
    await gateway.fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at, created_at,
        updated_at, document, last_job_id, last_seq, status_since)
     values ($2, $1, 'user', $2, 'x', 'active', '', '{}', '{}', now(), now(), '{"id":"ann"}', $2, 1, now())`,
      [tenant, person],
    );
  });

  async function newTenant(): Promise<{ tenant: string; key: string }> {
    const { body } = await gateway.operator('POST', '/tenants', { name: 'Test' });
    const issued = await gateway.operator('POST', `/tenants/${body.id}/api-keys`, { name: 'test' });
    return { tenant: decodeId('tenant', body.id) ?? '', key: issued.body.key };
  }

  const get = (path: string, version?: string) =>
    fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': key, ...(version && { 'if-none-match': version }) } });

  /** Moves the position of the tenant, as each change of the directory does. */
  const change = () => directory.transaction(tenant, (tx) => assignTime(tx));

  const paths = (): [string, string][] => [
    ['a page of identities', '/v1/identities'],
    ['an empty page', '/v1/identities?offset=10'],
    ['a page by cursor', '/v1/identities?cursor='],
    ['a page of changes', '/v1/users?updated_since=2020-01-01T00:00:00Z'],
    ['a page of users', '/v1/users?limit=5&status=active'],
  ];

  it.each(paths())('for %s is 304 without a body until something in the tenant changes', async (_, path) => {
    const first = await get(path);
    const version = first.headers.get('etag') ?? '';
    expect({ status: first.status, version }).toEqual({ status: 200, version: expect.stringMatching(/^"[^"]+"$/) });
    const same = await get(path, version);
    expect({ status: same.status, version: same.headers.get('etag'), text: await same.text() }).toEqual({
      status: 304,
      version,
      text: '',
    });
    expect((await get(path, `"other", W/${version}`)).status).toBe(304);
    await change();
    const later = await get(path, version);
    expect(later.status).toBe(200);
    expect(later.headers.get('etag')).not.toBe(version);
    expect(await later.json()).toEqual(await first.json());
  });

  it.each([
    ['an identity', () => `/v1/identities/${encodeId('identity', person)}`, 'identities'],
    ['a user', () => `/v1/users/${encodeId('user', person)}`, 'source_records'],
  ])('for %s is 304 until its document changes', async (_, path, table) => {
    const first = await get(path());
    const version = first.headers.get('etag') ?? '';
    await change();
    expect((await get(path(), version)).status).toBe(304);
    await gateway.fixture.rows(`update ${table} set document = '{"id":"ann","name":"Anna"}' where id = $1`, [person]);
    const later = await get(path(), version);
    expect({ status: later.status, body: await later.json() }).toEqual({
      status: 200,
      body: { id: 'ann', name: 'Anna' },
    });
  });

  it('has a version of its tenant only', async () => {
    const version = (await get('/v1/identities')).headers.get('etag') ?? '';
    const other = await newTenant();
    const answer = await fetch(`${gateway.url}/v1/identities`, {
      headers: { 'x-api-key': other.key, 'if-none-match': version },
    });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('for a list with filters has no version', async () => {
    expect((await get('/v1/identities?email=ann@x.org')).headers.get('etag')).toBeNull();
  });
});
