import { encodeId, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { insertRecords, type StoredRecord, updateRecords } from '@idsync/database/directory';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import SCIMMY from 'scimmy';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

let gateway: OperatedGateway;
let directory: Database;
let tenant: string;
let key: string;
let hr: string;
let push: { id: string; token: string };
const records = new Map<string, StoredRecord>();

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  directory = await Database.connect({ url: gateway.database.url, service: 'directory' });
  tenant = await gateway.fixture.tenant();
  key = await newKey(tenant);
  hr = await gateway.fixture.connector(tenant, { name: 'HR' });
  const connectors = `/tenants/${encodeId('tenant', tenant)}/connectors`;
  const { body: made } = await gateway.operator('POST', connectors, { type: 'scim-push', name: 'Push', config: {} });
  const { body: issued } = await gateway.operator('POST', `${connectors}/${made.id}/tokens`, { name: 'Okta' });
  push = { id: made.id, token: issued.token };
  await insert(
    user(1, { email: 'bjensen@example.com', first_name: 'Barbara', last_name: 'Jensen', groups: ['Sales', 'All'] }),
    user(2, { user_principal_name: 'jsmith@example.com', email: 'bjensen@example.com', departments: ['Tour'] }),
    user(3, { display_name: 'Third', job_title: 'Lead', groups: ['All'], roles: ['admin'] }, { status: 'inactive' }),
    user(4, { email: 'gone@example.com' }, { status: 'deleted' }),
    ...Array.from({ length: 6 }, (_, at) => user(10 + at, { display_name: `Many ${at}` })),
  );
});

afterAll(async () => {
  await directory?.close();
  await gateway?.close();
});

async function newKey(id: string, scopes?: string[]): Promise<string> {
  const { body } = await gateway.operator('POST', `/tenants/${encodeId('tenant', id)}/api-keys`, {
    name: 'test',
    scopes,
  });
  return body.key;
}

/** A user whose document is what the directory renders. */
function user(
  n: number,
  { groups = [], departments = [], roles = [], ...fields }: Record<string, string | string[]>,
  given: Partial<StoredRecord> = {},
): StoredRecord {
  const at = new Date(Date.parse('2026-01-01T00:00:00Z') + n * 1_000);
  const id = newUuid();
  const status = given.status ?? 'active';
  const listed = { groups, departments, roles };
  const record: StoredRecord = {
    id,
    kind: 'user',
    connectorId: hr,
    externalId: `e${n}`,
    status,
    contentHash: Buffer.alloc(16),
    fields: Object.fromEntries(Object.entries({ ...fields, ...listed }).map(([name, value]) => [name, [value].flat()])),
    changedAt: {},
    createdAt: at,
    updatedAt: at,
    document: JSON.stringify({
      id: encodeId('user', id),
      external_id: `e${n}`,
      ...fields,
      ...listed,
      status,
      tenant_id: encodeId('tenant', tenant),
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
    }),
    lastJobId: newUuid(),
    lastSeq: 0,
    decided: false,
    statusSince: at,
    ...given,
  };
  records.set(record.externalId, record);
  return record;
}

async function insert(...all: StoredRecord[]): Promise<void> {
  await directory.transaction(tenant, (tx) => insertRecords(tx, all));
  await gateway.fixture.rows(
    `insert into directory_counters (tenant_id, resource, status, count)
     select tenant_id, 'user', status, count(*) from source_records where tenant_id = $1 group by 1, 3`,
    [tenant],
  );
}

async function ask(
  path: string,
  { as = key, method = 'GET', headers = {} }: { as?: string; method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; body: Body }> {
  const answer = await fetch(`${gateway.url}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, ...headers },
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : {} };
}

const usersBy = async (filter: string, more = '', as = key): Promise<string[]> => {
  const { status, body } = await ask(`/Users?filter=${encodeURIComponent(filter)}${more}`, { as });
  expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
  return body.Resources.map(({ externalId }: { externalId: string }) => externalId);
};
const idOf = (externalId: string) => encodeId('user', records.get(externalId)?.id ?? '');

describe('the SCIM service that reads', () => {
  it('returns a user as RFC 7643 describes it, with a version', async () => {
    const { status, headers, body } = await ask(`/Users/${idOf('e1')}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(headers.get('etag')).toBe(body.meta.version);
    expect(body).toEqual({
      schemas: [userSchema],
      id: idOf('e1'),
      externalId: 'e1',
      userName: 'bjensen@example.com',
      name: { givenName: 'Barbara', familyName: 'Jensen' },
      active: true,
      emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }],
      groups: ['Sales', 'All'].map((display) => ({
        value: expect.stringMatching(/^grp_/),
        $ref: expect.stringMatching(/^http:\/\/.*\/scim\/v2\/Groups\/grp_/),
        display,
      })),
      meta: {
        resourceType: 'User',
        created: '2026-01-01T00:00:01.000Z',
        lastModified: '2026-01-01T00:00:01.000Z',
        location: `${gateway.url}/scim/v2/Users/${idOf('e1')}`,
        version: expect.stringMatching(/^W\/"/),
      },
    });
    const second = (await ask(`/Users/${idOf('e2')}`)).body;
    expect(second).toMatchObject({ schemas: [userSchema, enterprise], [enterprise]: { department: 'Tour' } });
    expect((await ask(`/Users/${idOf('e3')}`)).body).toMatchObject({
      userName: 'e3',
      active: false,
      title: 'Lead',
      roles: [{ value: 'admin' }],
    });
  });

  it('returns only resources that the schemas of scimmy accept', async () => {
    const { body: users } = await ask('/Users');
    expect(users.Resources).toHaveLength(9);
    for (const each of users.Resources) {
      const { externalId, userName, active } = new SCIMMY.Schemas.User(each, 'out') as unknown as Body;
      expect({ externalId, userName, active }).toEqual({
        externalId: each.externalId,
        userName: each.userName,
        active: each.active,
      });
    }
    const { body: groups } = await ask('/Groups');
    expect(groups.Resources).toHaveLength(2);
    for (const each of groups.Resources) {
      expect(new SCIMMY.Schemas.Group(each, 'out')).toMatchObject({ displayName: each.displayName });
    }
    expect(new SCIMMY.Messages.ListResponse(users)).toMatchObject({ totalResults: 9, startIndex: 1 });
  });

  it.each([
    ['userName eq "bjensen@example.com"', ['e1']],
    ['userName Eq "BJENSEN@example.com"', ['e1']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "jsmith@example.com"', ['e2']],
    ['userName eq "e3"', ['e3']],
    ['userName eq "nobody"', []],
    ['emails.value eq "bjensen@example.com"', ['e1', 'e2']],
    ['emails eq "bjensen@example.com"', ['e1', 'e2']],
    ['emails[value eq "bjensen@example.com"]', ['e1', 'e2']],
    ['emails.value eq "gone@example.com"', []],
    ['externalId eq "e2"', ['e2']],
    ['externalId eq "E2"', []],
    ['userName eq "bjensen@example.com" and externalId eq "e1"', ['e1']],
    ['userName eq "bjensen@example.com" and emails.value eq "x@example.com"', []],
    ['userName eq "e3" and emails.value eq "x@example.com"', []],
    ['emails.value eq "bjensen@example.com" and meta.lastModified gt "2026-01-01T00:00:01Z"', ['e2']],
    ['meta.lastModified ge "2026-01-01T00:00:14.000Z"', ['e14', 'e15']],
    ['meta.lastModified gt "2026-01-01T01:00:14+01:00"', ['e15']],
    ['externalId eq "e3" and active eq true', []],
  ])('finds users by %s', async (filter, expected) => {
    expect(await usersBy(filter)).toEqual(expected);
  });

  it('finds the users of a group, and the groups by name, and one resource by its id', async () => {
    const { body } = await ask(`/Groups?filter=${encodeURIComponent('displayName eq "All"')}`);
    expect(body).toMatchObject({ totalResults: 1, Resources: [{ displayName: 'All' }] });
    const [{ id }] = body.Resources;
    expect(await usersBy(`groups.value eq "${id}"`)).toEqual(['e1', 'e3']);
    expect(await usersBy(`groups[value eq "${id}"] and active eq true`)).toEqual(['e1']);
    expect(await usersBy(`id eq "${idOf('e2')}"`)).toEqual(['e2']);
    expect(await usersBy('id eq "x"')).toEqual([]);
    expect(await usersBy('groups.value eq "x"')).toEqual([]);
    expect((await ask(`/Groups?filter=${encodeURIComponent(`id eq "${id}"`)}`)).body.totalResults).toBe(1);
  });

  it('returns the members of one group if they are requested', async () => {
    const { body: list } = await ask(`/Groups?filter=${encodeURIComponent('displayName eq "All"')}`);
    const [{ id }] = list.Resources;
    const { body } = await ask(`/Groups/${id}`);
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      id,
      displayName: 'All',
      meta: {
        resourceType: 'Group',
        created: expect.any(String),
        location: `${gateway.url}/scim/v2/Groups/${id}`,
        version: expect.any(String),
      },
    });
    const { body: whole } = await ask(`/Groups/${id}?attributes=displayName,members`);
    expect(whole.members).toEqual([
      { value: idOf('e1'), $ref: `${gateway.url}/scim/v2/Users/${idOf('e1')}`, type: 'User' },
      { value: idOf('e3'), $ref: `${gateway.url}/scim/v2/Users/${idOf('e3')}`, display: 'Third', type: 'User' },
    ]);
    for (const attribute of ['members', 'members.value']) {
      const answer = await ask(`/Groups?attributes=${attribute}`);
      expect(answer).toMatchObject({ status: 400, body: { scimType: 'tooMany' } });
    }
  });

  it('pages by startIndex and count, and by cursor as RFC 9865 describes', async () => {
    const { body: all } = await ask('/Users?count=200');
    const ids = all.Resources.map(({ id }: { id: string }) => id);
    const second = (await ask('/Users?startIndex=4&count=3')).body;
    expect(second).toMatchObject({ schemas: [listSchema], totalResults: 9, startIndex: 4, itemsPerPage: 3 });
    expect(second.Resources.map(({ id }: { id: string }) => id)).toEqual(ids.slice(3, 6));
    expect((await ask('/Users?count=0')).body).toMatchObject({ totalResults: 9, itemsPerPage: 0, Resources: [] });
    expect((await ask('/Users?startIndex=0&count=1')).body.startIndex).toBe(1);
    for (const filter of ['', `&filter=${encodeURIComponent('meta.lastModified ge "2026-01-01T00:00:00Z"')}`]) {
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body }: { body: Body } = await ask(`/Users?count=4&cursor=${cursor}${filter}`);
        expect(body.totalResults).toBe(9);
        expect(body.Resources).not.toHaveLength(0);
        expect(body).not.toHaveProperty('startIndex');
        seen.push(...body.Resources.map(({ id }: { id: string }) => id));
        cursor = body.nextCursor;
      }
      expect(seen).toEqual(ids);
    }
    expect(await ask('/Users?cursor=x')).toMatchObject({ status: 400, body: { scimType: 'invalidCursor' } });
    expect((await ask('/Groups?count=1&cursor=')).body).toMatchObject({ nextCursor: expect.any(String) });
  });

  it('returns the requested attributes', async () => {
    const path = `/Users/${idOf('e1')}`;
    expect((await ask(`${path}?attributes=userName,name.familyName`)).body).toEqual({
      schemas: [userSchema],
      id: idOf('e1'),
      userName: 'bjensen@example.com',
      name: { familyName: 'Jensen' },
    });
    const { body } = await ask(`${path}?excludedAttributes=emails,groups,meta`);
    expect(Object.keys(body).sort()).toEqual(['active', 'externalId', 'id', 'name', 'schemas', 'userName']);
    expect((await ask(`/Users/${idOf('e2')}?attributes=${enterprise}:department`)).body).toMatchObject({
      [enterprise]: { department: 'Tour' },
    });
  });

  it('answers 304 to a client that has the version, until the user changes', async () => {
    const path = `/Users/${idOf('e15')}`;
    const etag = (await ask(path)).headers.get('etag') ?? '';
    const again = await ask(path, { headers: { 'if-none-match': `W/"other", ${etag}` } });
    expect({ status: again.status, body: again.body, etag: again.headers.get('etag') }).toEqual({
      status: 304,
      body: {},
      etag,
    });
    expect((await ask(path, { headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200);
    const record = records.get('e15') as StoredRecord;
    const document = JSON.stringify({ ...JSON.parse(record.document), display_name: 'Renamed' });
    await directory.transaction(tenant, (tx) => updateRecords(tx, [{ ...record, document }]));
    expect((await ask(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it.each([
    ['/Users?filter=userName%20co%20%22a%22', 'invalidFilter'],
    ['/Users?filter=userName%20eq', 'invalidFilter'],
    ['/Users?filter=userName%20eq%20%22a%22%20or%20userName%20eq%20%22b%22', 'invalidFilter'],
    ['/Users?filter=userName%20eq%20%22a%22%20and%20userName%20eq%20%22b%22', 'invalidFilter'],
    ['/Users?filter=not%20(userName%20eq%20%22a%22)', 'invalidFilter'],
    ['/Users?filter=__proto__%20eq%20%22a%22', 'invalidFilter'],
    ['/Users?filter=meta.lastModified%20gt%20%22yesterday%22', 'invalidFilter'],
    ['/Users?filter=active%20eq%20false', 'invalidFilter'],
    ['/Users?filter=id%20eq%20%22a%22%20and%20userName%20eq%20%22b%22', 'invalidFilter'],
    ['/Groups?filter=members.value%20eq%20%22a%22', 'invalidFilter'],
    ['/Users?filter=externalId%20eq%20%22a%22&startIndex=10002', 'tooMany'],
    ['/Users?count=1&count=2', 'invalidValue'],
  ])('rejects %s with a SCIM error', async (path, scimType) => {
    const { status, body } = await ask(path);
    expect({ status, body }).toEqual({
      status: 400,
      body: { schemas: [errorSchema], status: '400', scimType, detail: expect.any(String) },
    });
  });

  it('describes itself', async () => {
    expect((await ask('/ServiceProviderConfig')).body).toMatchObject({
      patch: { supported: false },
      etag: { supported: true },
      filter: { supported: true, maxResults: 200 },
      pagination: { cursor: true, index: true, defaultPaginationMethod: 'index' },
    });
    const { body: types } = await ask('/ResourceTypes');
    expect(types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['/Users', '/Groups']);
    expect((await ask('/ResourceTypes/User')).body.meta.location).toBe(`${gateway.url}/scim/v2/ResourceTypes/User`);
    const { body: schema } = await ask(`/Schemas/${userSchema}`);
    const attributes: Body[] = schema.attributes;
    expect(attributes.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['userName', 'name', 'emails', 'groups', 'active']),
    );
    expect(new Set(attributes.map(({ mutability }) => mutability))).toEqual(new Set(['readOnly']));
    expect(attributes.map(({ name }) => name)).not.toContain('nickName');
    expect((await ask('/Schemas?filter=x')).status).toBe(403);
  });

  it.each([
    ['POST', '/Users'],
    ['PUT', '/Users/usr_1'],
    ['PATCH', '/Groups/grp_1'],
    ['DELETE', '/Users/usr_1'],
    ['POST', '/Users/.search'],
    ['PUT', '/Users'],
    ['POST', '/Users/usr_1'],
    ['PATCH', '/Schemas'],
    ['GET', '/Me'],
    ['POST', '/Bulk'],
  ])('answers 501 to %s %s, because it reads only', async (method, path) => {
    expect(await ask(path, { method })).toMatchObject({
      status: 501,
      body: { schemas: [errorSchema], status: '501', detail: expect.stringContaining('reads only') },
    });
  });

  it.each(['', '/Printers', '/Users/usr_1/x', '/Printers/1'])('answers 404 to the unknown path %s', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 404, body: { schemas: [errorSchema], status: '404' } });
  });

  it('needs an API key with the scope of the resource', async () => {
    for (const path of ['/Users', `/Users/${idOf('e1')}`, '/Groups', '/Schemas', '/Users/unknown/path']) {
      expect(await ask(path, { as: 'nonsense' })).toMatchObject({ status: 401, body: { schemas: [errorSchema] } });
      expect((await ask(path, { as: push.token })).status).toBe(401);
    }
    const [onlyUsers, onlyGroups] = [await newKey(tenant, ['users:read']), await newKey(tenant, ['groups:read'])];
    expect((await ask('/Users', { as: onlyUsers })).status).toBe(200);
    expect((await ask('/Groups', { as: onlyUsers })).status).toBe(403);
    expect((await ask('/Users', { as: onlyGroups })).status).toBe(403);
    const { body } = await ask('/Groups', { as: onlyGroups });
    expect((await ask(`/Groups/${body.Resources[0].id}?attributes=members`, { as: onlyGroups })).status).toBe(403);
    const byHeader = await fetch(`${gateway.url}/scim/v2/Users`, { headers: { 'x-api-key': key } });
    expect(byHeader.status).toBe(200);
  });

  it("never shows another tenant's resources", async () => {
    const other = await newKey(await gateway.fixture.tenant());
    expect((await ask('/Users', { as: other })).body).toMatchObject({ totalResults: 0, Resources: [] });
    expect((await ask('/Groups', { as: other })).body).toMatchObject({ totalResults: 0, Resources: [] });
    const { body } = await ask('/Groups');
    for (const { id, displayName } of body.Resources) {
      expect((await ask(`/Groups/${id}`, { as: other })).status).toBe(404);
      expect(await usersBy(`groups.value eq "${id}"`, '', other)).toEqual([]);
      const named = await ask(`/Groups?filter=${encodeURIComponent(`displayName eq "${displayName}"`)}`, { as: other });
      expect(named.body.totalResults).toBe(0);
    }
    expect(await ask(`/Users/${idOf('e1')}`, { as: other })).toMatchObject({ status: 404, body: { status: '404' } });
    for (const filter of ['externalId eq "e1"', 'userName eq "bjensen@example.com"', `id eq "${idOf('e1')}"`]) {
      expect(await usersBy(filter, '', other)).toEqual([]);
    }
  });

  it('has no deleted users', async () => {
    expect(await ask(`/Users/${idOf('e4')}`)).toMatchObject({ status: 404, body: { schemas: [errorSchema] } });
    expect(await ask('/Nope')).toMatchObject({ status: 404, body: { schemas: [errorSchema], status: '404' } });
    expect(await usersBy('externalId eq "e4"')).toEqual([]);
  });

  it('leaves the service of connectors as it is, whose tokens and keys are not exchanged', async () => {
    const path = `/${push.id}/Users`;
    expect((await ask(path, { as: push.token })).status).toBe(200);
    expect((await ask(`${path}?filter=userName%20eq%20%22x%22`, { as: push.token })).body.totalResults).toBe(0);
    expect((await ask(path)).status).toBe(401);
    expect((await ask(`/${push.id}/ServiceProviderConfig`, { as: push.token })).body.patch).toEqual({
      supported: true,
    });
  });
});
