import { encodeId, newUuid, type RecordKind } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { insertRecords, type StoredRecord } from '@idsync/database/directory';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let directory: Database;
let key: string;
let otherKey: string;
let tenant: string;
let hr: string;
const owner = newUuid();
const boss = newUuid();

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  directory = await Database.connect({ url: gateway.database.url, service: 'directory' });
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
  await directory.transaction(tenant, (tx) => insertRecords(tx, tenant, records));
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

afterAll(async () => {
  await directory?.close();
  await gateway?.close();
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
    expect((await get('machine-identities')).body.data).toEqual(body.data.map(({ owner_name, ...rest }: Body) => rest));
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
    await directory.transaction(id, (tx) => insertRecords(tx, id, records));
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
    [`users?${[1, 2, 3, 4, 5, 6].map((n) => `attributes.a${n}=1`).join('&')}`, 'attributes must be at most 5 filters'],
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
