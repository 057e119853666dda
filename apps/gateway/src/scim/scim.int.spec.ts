import { decodeId } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';
import { addTenant, ask, core, countPushes, type Json, type Resource, ScimProvider } from '../../test/scim-provider.js';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.js';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

let gateway: OperatedGateway;
let tenant: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  tenant = await addTenant(gateway);
});

afterAll(() => gateway?.close());

const operator: OperatedGateway['operator'] = (...call) => gateway.operator(...call);

let client: ScimProvider;
beforeEach(async () => {
  client = await ScimProvider.create(gateway, tenant);
});

describe('the SCIM service of a connector', () => {
  it('accepts only its own tokens, which are valid for nothing else', async () => {
    const other = await ScimProvider.create(gateway, tenant);
    for (const token of [other.token, 'the-operators-token-of-this-test', 'nonsense', '']) {
      const { status, headers, body } = await ask(gateway, 'GET', `/scim/v2/${client.connector}/Users`, token);
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(headers.get('content-type')).toContain('application/scim+json');
      expect(body).toEqual({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '401',
        detail: 'missing or invalid token',
      });
    }
    for (const path of ['/v1/identities', '/v1/webhooks']) {
      const answer = await fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': client.token } });
      expect(answer.status).toBe(401);
    }
    expect((await ask(gateway, 'GET', `/admin/v1${tenant}`, client.token)).status).toBe(401);
    const { body: key } = await operator('POST', `${tenant}/api-keys`, { name: 'a client' });
    expect((await ask(gateway, 'GET', `/scim/v2/${client.connector}/Users`, String(key.key))).status).toBe(401);
    const { body: keys } = await operator('GET', `${tenant}/api-keys`);
    expect((keys.data as Json[]).map(({ name }) => name)).not.toContain('Okta');
  });

  it('rejects a revoked token and the tokens of a deleted connector', async () => {
    const path = `${tenant}/connectors/${client.connector}`;
    const { body } = await operator('GET', `${path}/tokens`);
    expect(body).toMatchObject({ total: 1, data: [{ name: 'Okta' }] });
    expect(JSON.stringify(body)).not.toContain(client.token.slice(-20));
    const second = String((await operator('POST', `${path}/tokens`, { name: 'Second' })).body.token);
    await operator('DELETE', `${path}/tokens/${(body.data as Resource[])[0]?.id}`);
    expect((await client.send('GET', '/Users')).status).toBe(401);
    const again = new ScimProvider(gateway, tenant, client.connector, second);
    await again.user('ada');
    await operator('DELETE', path);
    expect((await again.send('GET', '/Users')).status).toBe(401);
    expect((await operator('POST', `${path}/tokens`, { name: 'Third' })).status).toBe(404);
  });

  it('exists only for connectors of type scim-push', async () => {
    const csv = { type: 'csv', name: 'HR', config: { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } } };
    const { body } = await operator('POST', `${tenant}/connectors`, csv);
    expect(await operator('POST', `${tenant}/connectors/${body.id}/tokens`, { name: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'only connectors of type scim-push have tokens' },
    });
  });

  it('describes its features and rejects others with SCIM errors', async () => {
    const { body: config } = await client.send('GET', '/ServiceProviderConfig');
    expect(config).toMatchObject({ patch: { supported: true }, etag: { supported: true }, bulk: { supported: false } });
    const { body: types } = await client.send('GET', '/ResourceTypes');
    expect(types).toMatchObject({ totalResults: 2, Resources: [{ id: 'User' }, { id: 'Group' }] });
    expect((await client.send('GET', '/ResourceTypes/User')).body).toMatchObject({
      schemaExtensions: [{ schema: enterprise, required: false }],
    });
    const { body: schemas } = await client.send('GET', '/Schemas');
    expect((schemas.Resources as Json[]).map(({ id }) => id)).toEqual([`${core}:User`, `${core}:Group`, enterprise]);
    expect(JSON.stringify(schemas)).not.toContain('"password"');
    expect((await client.send('GET', `/Schemas/${enterprise}`)).body).toMatchObject({ name: 'EnterpriseUser' });
    expect((await client.send('GET', '/Schemas/urn:nonsense')).status).toBe(404);
  });

  // RFC 7644, section 3.12, and RFC 9110, section 15.5.6. Identity providers take a 401 for an invalid token.
  it.each<[string, string, number, string?]>([
    ['GET', '', 404],
    ['GET', '/', 404],
    ['GET', '/Printers', 404],
    ['POST', '/Printers', 404],
    ['DELETE', '/Printers/1', 404],
    ['PATCH', '/Printers/1/2/3', 404],
    ['GET', '/%', 404],
    ['POST', '/%zz/x', 404],
    ['PUT', '/Users', 405, 'GET, HEAD, POST'],
    ['DELETE', '/Groups', 405, 'GET, HEAD, POST'],
    ['POST', '/Users/scr_x', 405, 'GET, HEAD, PUT, PATCH, DELETE'],
    ['POST', '/Schemas', 405, 'GET, HEAD'],
    ['DELETE', '/ResourceTypes/User', 405, 'GET, HEAD'],
    ['PUT', '/ServiceProviderConfig', 405, 'GET, HEAD'],
    ['GET', '/Me', 501],
    ['PATCH', '/Me', 501],
    ['POST', '/Bulk', 501],
    ['POST', '/.search', 501],
    ['POST', '/Users/.search', 501],
  ])('answers %s %s with %d after it has checked the token', async (method, path, status, allow = '') => {
    const answer = await client.send(method, path, method === 'GET' ? undefined : {});
    expect([answer.status, answer.headers.get('allow') ?? '', answer.body.status]).toEqual([
      status,
      allow,
      String(status),
    ]);
    expect((await ask(gateway, method, `/scim/v2/${client.connector}${path}`, 'nonsense')).status).toBe(401);
  });

  it('has the same paths below an address that ends with a slash, and with a slash at their end', async () => {
    await client.user('ada');
    for (const path of ['//Users', '/Users/', '//Users/?filter=userName%20eq%20%22ada%22', '/Users//'])
      expect([path, (await client.send('GET', path)).body.totalResults]).toEqual([path, 1]);
    expect((await client.send('POST', '//Users', { userName: 'bob', externalId: 'a//b/' })).status).toBe(201);
    expect((await client.send('GET', '/Users?filter=externalId%20eq%20%22a//b/%22')).body.totalResults).toBe(1);
  });

  it('names the kind of an error in a body that is not valid', async () => {
    const url = `${gateway.url}/scim/v2/${client.connector}/Users`;
    const headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${client.token}` };
    for (const body of ['{"userName":', '[]', '"text"']) {
      const answer = await fetch(url, { method: 'POST', headers, body });
      expect(await answer.json()).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    }
  });

  it('names its addresses with the scheme that a proxy reports, if that is http or https', async () => {
    const schemeBehind = async (forwarded?: string) => {
      const headers = forwarded === undefined ? undefined : { 'x-forwarded-proto': forwarded };
      const { body } = await client.send('GET', '/ResourceTypes/User', undefined, headers);
      return (body.meta as { location: string }).location.split('://')[0];
    };
    expect(await schemeBehind('https')).toBe('https');
    expect(await schemeBehind('https, http')).toBe('https');
    expect(await schemeBehind('javascript')).toBe('http');
    expect(await schemeBehind()).toBe('http');
  });
});

describe('a SCIM user', () => {
  it('is created, read, replaced and deleted, with its location and version', async () => {
    const ada = await client.user('Ada@example.com', {
      externalId: 'E1',
      name: { givenName: 'Ada' },
      active: true,
      password: 'not for us',
      id: 'x',
      shoeSize: 7,
      [enterprise]: { department: 'Mathematics', manager: 'scr_x', password: 'not for us' },
      [`${core}:User`]: { password: 'not for us' },
    });
    expect(ada).toEqual({
      schemas: [`${core}:User`, enterprise],
      id: expect.stringMatching(/^scr_[0-9a-z]{26}$/),
      externalId: 'E1',
      userName: 'Ada@example.com',
      name: { givenName: 'Ada' },
      active: true,
      shoeSize: 7,
      [enterprise]: { department: 'Mathematics', manager: { value: 'scr_x' } },
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${gateway.url}/scim/v2/${client.connector}/Users/${ada.id}`,
        version: 'W/"1"',
      },
    });
    const short = await client.send('POST', '/Users?attributes=userName', { userName: 'short' });
    expect(short.headers.get('location')).toBe(`${ada.meta.location.slice(0, -ada.id.length)}${short.body.id}`);
    expect(short.body).not.toHaveProperty('meta');
    const { body, headers } = await client.send('GET', `/Users/${ada.id}`);
    expect(body).toEqual(ada);
    expect(headers.get('etag')).toBe('W/"1"');
    expect(headers.get('content-type')).toContain('application/scim+json');
    const put = await client.send('PUT', `/Users/${ada.id}`, { userName: 'ada@example.com', displayName: 'Ada' });
    expect(put.body).toMatchObject({ displayName: 'Ada', meta: { version: 'W/"2"' } });
    expect(put.body).not.toHaveProperty('name');
    expect(
      await gateway.fixture.rows('select 1 from scim_resources where document::text ilike $1', ['%not for us%']),
    ).toEqual([]);
    expect((await client.send('DELETE', `/Users/${ada.id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await client.send(method, `/Users/${ada.id}`)).status).toBe(404);
    const [left] = await gateway.fixture.rows<Json>(
      'select document, name_key, external_key from scim_resources where deleted_at is not null',
    );
    expect(left).toEqual({ document: {}, name_key: '', external_key: null });
    await client.user('ada@example.com');
  });

  it.each<[string, object, object]>([
    ['externalId', { userName: 'eve', externalId: 'E7' }, { userName: 'eve.new', externalId: 'E7' }],
    ['userName, if it has no externalId', { userName: 'Eve' }, { userName: 'eve' }],
  ])('has the same id when it is deleted and created again with the same %s', async (_, first, second) => {
    const { body: before } = await client.send('POST', '/Users', { ...first, title: 'Head' });
    const group = await client.group('Staff', [before as Resource]);
    await client.send('DELETE', `/Users/${before.id}`);
    const { status, headers, body: after } = await client.send('POST', '/Users', second);
    expect([status, headers.get('etag')]).toEqual([201, 'W/"3"']);
    expect(after).toMatchObject({ ...second, id: before.id });
    expect(after).not.toHaveProperty('title');
    expect((await client.send('GET', `/Users/${before.id}`)).body).toEqual(after);
    expect((await client.send('GET', '/Users')).body).toMatchObject({ totalResults: 1 });
    expect(await client.members(group)).toEqual([]);
    expect((await client.send('POST', '/Users', second)).status).toBe(409);
    await client.send('DELETE', `/Users/${before.id}`);
    await client.send('DELETE', `/Users/${(await client.user('other')).id}`);
    expect((await client.send('POST', '/Users', second)).body.id).toBe(before.id);
  });

  it.each<[string, object, object]>([
    ['another externalId', { userName: 'eve', externalId: 'E7' }, { userName: 'eve', externalId: 'E8' }],
    ['only the userName', { userName: 'eve', externalId: 'E7' }, { userName: 'eve' }],
    ['the userName as its externalId', { userName: 'eve' }, { userName: 'eve', externalId: 'eve' }],
  ])('has a new id when it is deleted and created again with %s', async (_, first, second) => {
    const { body: before } = await client.send('POST', '/Users', first);
    await client.send('DELETE', `/Users/${before.id}`);
    const { status, body: after } = await client.send('POST', '/Users', second);
    expect([status, after.id === before.id]).toEqual([201, false]);
  });

  describe('without an externalId, when its userName is pushed again', () => {
    const named = (givenName: string, familyName: string, employeeNumber?: string) => ({
      userName: 'alee@x.org',
      name: { givenName, familyName },
      ...(employeeNumber && { [enterprise]: { employeeNumber } }),
    });
    const ann = named('Ann', 'Lee', '17');
    const pushedAgain = async (second: object) => {
      const { body: before } = await client.send('POST', '/Users', ann);
      await client.send('DELETE', `/Users/${before.id}`);
      const { status, body } = await client.send('POST', '/Users', second);
      return [status, body.id === before.id];
    };

    it.each([
      ['another full name', named('Karl', 'Berg')],
      ['another full name beside a title', { ...named('', ''), displayName: 'Dr. Karl von Berg' }],
      ['another employee number', named('Ann', 'Lee', '18')],
    ])('has a new id with %s', async (_, second) => expect(await pushedAgain(second)).toEqual([201, false]));

    it.each([
      ['the same name in another notation', { userName: 'ALee@x.org', displayName: 'LEE, Ann' }],
      ['another surname', named('Ann', 'Berg', '17')],
      ['a single word as its name', { userName: 'alee@x.org', displayName: 'Karl' }],
      ['a name in another script', named('Карл', 'Берг')],
      ['no number', named('Ann', 'Lee')],
    ])('has the same id with %s', async (_, second) => expect(await pushedAgain(second)).toEqual([201, true]));

    it('is found again after another person has had its userName', async () => {
      const { body: first } = await client.send('POST', '/Users', ann);
      await client.send('DELETE', `/Users/${first.id}`);
      const { body: second } = await client.send('POST', '/Users', named('Karl', 'Berg', '18'));
      await client.send('DELETE', `/Users/${second.id}`);
      expect((await client.send('POST', '/Users', ann)).body.id).toBe(first.id);
      const left = await gateway.fixture.rows<{ text: string }>(
        'select document::text as text from scim_resources where deleted_at is not null',
      );
      for (const { text } of left) expect(text).not.toMatch(/karl|berg|"18"/i);
    });
  });

  it('is restored once, if several users with its externalId are created at the same time', async () => {
    const { id } = await client.user('eve', { externalId: 'E7' });
    await client.send('DELETE', `/Users/${id}`);
    const create = (userName: string) => client.user(userName, { externalId: 'E7' });
    const created = await Promise.all(['eve', 'f', 'g'].map(create));
    expect(new Set(created.map((user) => user.id)).size).toBe(3);
    expect(created.map((user) => user.id)).toContain(id);
  });

  it('has a new id in another connector, and after its tombstone is deleted', async () => {
    const { id } = await client.user('eve', { externalId: 'E7' });
    await client.send('DELETE', `/Users/${id}`);
    const other = await ScimProvider.create(gateway, tenant);
    expect((await other.user('eve', { externalId: 'E7' })).id).not.toBe(id);
    await gateway.fixture.rows('delete from scim_resources where id = $1', [decodeId('scimResource', id)]);
    expect((await client.user('eve', { externalId: 'E7' })).id).not.toBe(id);
  });

  it('has a unique name, case-insensitively and under concurrency', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.send('POST', '/Users', { userName: index % 2 ? 'Ada' : 'ada', schemas: [`${core}:User`] }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    const bob = await client.user('bob');
    expect((await client.send('PUT', `/Users/${bob.id}`, { userName: 'ADA' })).status).toBe(409);
    await (await ScimProvider.create(gateway, tenant)).user('ada');
  });

  it('is found by filters, in pages, with the requested attributes', async () => {
    const people = [];
    for (const name of ['ada', 'bob', 'charles', 'dora', 'emil']) {
      people.push(
        await client.user(name, { title: name < 'c' ? 'A' : 'B', emails: [{ value: `${name}@x.org`, type: 'work' }] }),
      );
    }
    const list = async (query: string) => {
      const { status, body } = await client.send('GET', `/Users?${query}`);
      const found = (body.Resources ?? []) as Json[];
      return {
        status,
        total: body.totalResults,
        at: body.startIndex,
        names: found.map(({ userName }) => userName),
        body,
      };
    };
    const filtered = (filter: string, more = '') => list(`filter=${encodeURIComponent(filter)}${more}`);
    expect(await list('')).toMatchObject({ total: 5, at: 1, names: ['ada', 'bob', 'charles', 'dora', 'emil'] });
    expect(await list('startIndex=2&count=2')).toMatchObject({ total: 5, at: 2, names: ['bob', 'charles'] });
    expect(await list('startIndex=9&count=2')).toMatchObject({ total: 5, names: [] });
    expect(await list('count=0')).toMatchObject({ total: 5, names: [] });
    expect(await list('startIndex=-3&count=nonsense')).toMatchObject({ total: 5, at: 1 });
    expect(await filtered('userName eq "BOB"')).toMatchObject({ total: 1, names: ['bob'] });
    expect(await filtered('title eq "b"', '&startIndex=2&count=1')).toMatchObject({ total: 3, names: ['dora'] });
    expect(await filtered('emails[type eq "work" and value eq "dora@x.org"]')).toMatchObject({ names: ['dora'] });
    expect(await filtered('meta.lastModified gt "2020-01-01T00:00:00Z"')).toMatchObject({ total: 5 });
    expect(await filtered(`id eq "${people[3]?.id}"`)).toMatchObject({ names: ['dora'] });
    expect(await filtered('id eq "7b1c9f1e-9f0c-4ac1-8f3e-1f0b3a1c2d3e"')).toMatchObject({ status: 200, total: 0 });
    const refused = await filtered('userName xx "a"');
    expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
    expect((await list('count=1&attributes=userName,emails.value')).body.Resources).toEqual([
      { schemas: [`${core}:User`], id: people[0]?.id, userName: 'ada', emails: [{ value: 'ada@x.org' }] },
    ]);
    expect((await list('count=1&excludedAttributes=meta,emails,title')).body.Resources).toEqual([
      { schemas: [`${core}:User`], id: people[0]?.id, userName: 'ada' },
    ]);
  });

  // RFC 7644, section 3.5.1: omitted attributes may keep their values. Otherwise, such a PUT would activate leavers.
  it('stays inactive after a PUT without active', async () => {
    const urn = 'urn:acme:2.0:User';
    const { id } = await client.user('leaver', { active: false, [urn]: { badge: '1' } });
    for (const body of [
      { userName: 'leaver' },
      { userName: 'leaver', active: null, [urn.toUpperCase()]: { badge: '2' } },
    ])
      expect((await client.send('PUT', `/Users/${id}`, body)).body.active).toBe(false);
    expect((await client.send('PUT', `/Users/${id}`, { userName: 'leaver', active: 'True' })).body.active).toBe(true);
    await client.send('PUT', `/Users/${id}`, { userName: 'leaver', [urn]: { badge: '3' } });
    const { body } = await client.send('PUT', `/Users/${id}`, {
      userName: 'leaver',
      [urn.toUpperCase()]: { badge: '4' },
    });
    expect([body.schemas, body[urn], body.active]).toEqual([[`${core}:User`, urn], { badge: '4' }, true]);
  });

  it('is found by everything that the service returns about it', async () => {
    const name = 'CORP\\ann\t"ë"';
    const ann = await client.user(name, { externalId: name, 'urn:acme:2.0:User': { badge: name } });
    const staff = await client.group(name, [ann]);
    const text = JSON.stringify(name);
    const found = async (path: string, filter: string) => {
      const { status, body } = await client.send('GET', `${path}?filter=${encodeURIComponent(filter)}`);
      return [filter, status, ((body.Resources ?? []) as Json[]).map(({ id }) => id)];
    };
    for (const filter of [
      ...['userName', 'externalId', 'urn:acme:2.0:User:badge'].map((path) => `${path} eq ${text}`),
      `not (userName ne ${text})`,
      'id pr',
      'id sw "scr_"',
      'id co "_"',
      `id ne "${staff.id}"`,
      `id eq "${ann.id}" or userName eq "nobody"`,
      `schemas eq "${core}:User"`,
      'schemas eq "URN:ACME:2.0:User"',
      'meta.resourceType eq "User"',
      `meta.version eq ${JSON.stringify(`W/"2"`)}`,
      'meta.created le "2100-01-01T00:00:00+02:00"',
      'title eq null',
    ])
      expect(await found('/Users', filter)).toEqual([filter, 200, [ann.id]]);
    for (const filter of [`displayName eq ${text}`, `displayName sw ${text}`, 'id pr', `id eq "${staff.id}" and id pr`])
      expect(await found('/Groups', filter)).toEqual([filter, 200, [staff.id]]);
    for (const filter of ['meta.location pr', 'groups pr', 'active gt true'])
      expect(await found('/Users', filter)).toEqual([filter, 400, []]);
  });

  it('is changed only if its version matches If-Match', async () => {
    const ada = await client.user('ada');
    const path = `/Users/${ada.id}`;
    const put = (ifMatch: string) =>
      client.send('PUT', path, { userName: 'ada', title: ifMatch }, { 'if-match': ifMatch });
    expect((await put('W/"1"')).status).toBe(200);
    expect((await put('W/"1"')).status).toBe(412);
    expect((await put('"2"')).status).toBe(200);
    expect((await put('*')).status).toBe(200);
    expect((await client.send('DELETE', path, undefined, { 'if-match': 'W/"1"' })).status).toBe(412);
    expect((await client.send('GET', path, undefined, { 'if-none-match': 'W/"4"' })).status).toBe(304);
    expect((await client.send('GET', path, undefined, { 'if-none-match': 'W/"3"' })).status).toBe(200);
  });

  it('of another connector or tenant is not found', async () => {
    const ada = await client.user('ada');
    const other = await ScimProvider.create(gateway, tenant);
    const foreign = await ScimProvider.create(gateway, await addTenant(gateway));
    for (const stranger of [other, foreign]) {
      for (const method of ['GET', 'DELETE'])
        expect((await stranger.send(method, `/Users/${ada.id}`)).status).toBe(404);
      expect((await stranger.send('PUT', `/Users/${ada.id}`, { userName: 'x' })).status).toBe(404);
      expect((await stranger.send('GET', '/Users')).body.totalResults).toBe(0);
      const { status, body } = await stranger.send('POST', '/Groups', {
        displayName: 'G',
        members: [{ value: ada.id }],
      });
      expect([status, body.detail]).toEqual([400, `members: unknown resource "${ada.id}"`]);
    }
    expect((await client.send('GET', `/Groups/${ada.id}`)).status).toBe(404);
  });

  it('that cannot be stored is rejected with the reason', async () => {
    const refusals: [unknown, string][] = [
      [{}, 'userName is required'],
      [{ userName: ' ' }, 'userName is required'],
      [{ userName: 'x'.repeat(1_025) }, 'userName must have at most 1024 bytes'],
      [{ userName: 'a', externalId: 'x'.repeat(1_025) }, 'externalId must have at most 1024 bytes'],
      [{ userName: 'a', active: 'perhaps' }, 'active must be true or false'],
      [{ userName: 'a', name: ['x', 'y'] }, 'name must be one value'],
      [{ userName: 'a', name: 'x' }, 'name must be an object'],
      [{ userName: 'a', title: '\0' }, 'text must not contain NUL or an unpaired surrogate'],
      [{ userName: 'a', title: 'x'.repeat(300_000) }, 'the resource must have at most 256 KiB'],
      [[], 'the body must be a JSON object'],
    ];
    for (const [body, words] of refusals) {
      expect(await client.send('POST', '/Users', body)).toMatchObject({ status: 400, body: { detail: words } });
    }
    expect((await client.send('GET', '/Users')).body.totalResults).toBe(0);
    expect(await client.jobs()).toEqual([]);
  });
});

describe('a SCIM group', () => {
  it('appears in the groups of its members, and accepts the changes of Okta and Entra ID', async () => {
    const [ada, bob, dora] = [await client.user('ada'), await client.user('bob'), await client.user('dora')];
    const staff = await client.group('Staff', [ada]);
    expect(staff.members).toEqual([
      {
        value: ada.id,
        $ref: ada.meta.location,
        display: 'ada',
        type: 'User',
      },
    ]);
    const path = `/Groups/${staff.id}`;
    const added = await client.patch(path, { op: 'Add', path: 'members', value: [{ $ref: null, value: bob.id }] });
    expect([added.status, added.headers.get('etag')]).toEqual([204, 'W/"2"']);
    await client.patch(path, { op: 'add', path: 'members', value: [{ value: dora.id, display: 'Dora' }] });
    expect(await client.members(staff)).toEqual([ada.id, bob.id, dora.id]);
    await client.patch(path, { op: 'remove', path: `members[value eq "${ada.id}"]` });
    await client.patch(path, { op: 'Remove', path: 'members', value: [{ value: bob.id }] });
    expect(await client.members(staff)).toEqual([dora.id]);
    await client.patch(path, { op: 'replace', path: 'members', value: [{ value: ada.id }, { value: bob.id }] });
    await client.patch(path, { op: 'replace', value: { id: staff.id, displayName: 'Everybody' } });
    expect((await client.send('GET', `/Users/${ada.id}`)).body.groups).toEqual([
      { value: staff.id, $ref: staff.meta.location, display: 'Everybody', type: 'direct' },
    ]);
    expect((await client.send('GET', `/Users/${dora.id}`)).body).not.toHaveProperty('groups');
    const put = await client.send('PUT', path, { displayName: 'All', members: [{ value: dora.id }] });
    expect(put.body).toMatchObject({ displayName: 'All', members: [{ value: dora.id }] });
    expect((await client.send('PUT', path, { displayName: 'Still all' })).body).toMatchObject({
      members: [{ value: dora.id }],
    });
    const of = (filter: string) =>
      client.send('GET', `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`);
    expect((await of('displayName eq "STILL ALL"')).body).toMatchObject({ totalResults: 1 });
    expect((await of(`id eq "${staff.id}" and members eq "${dora.id}"`)).body.totalResults).toBe(1);
    expect((await of(`id eq "${staff.id}" and members eq "${ada.id}"`)).body.totalResults).toBe(0);
    expect(JSON.stringify((await of('displayName pr')).body)).not.toContain('members');
    await client.send('DELETE', `/Users/${dora.id}`);
    expect(await client.members(staff)).toEqual([]);
    expect((await client.send('DELETE', path)).status).toBe(204);
  });

  it('shows the first 64 characters of the names of its members', async () => {
    const [fits, longer] = [await client.user('a'.repeat(64)), await client.user('b'.repeat(65))];
    const { members } = await client.group('Long names', [fits, longer]);
    expect(members).toMatchObject([{ display: 'a'.repeat(64) }, { display: 'b'.repeat(64) }]);
  });

  it('is not changed if one of many members is unknown', async () => {
    const [ada, staff] = [await client.user('ada'), await client.group('Staff')];
    const { status, body } = await client.patch(
      `/Groups/${staff.id}`,
      { op: 'replace', path: 'displayName', value: 'Other' },
      { op: 'add', path: 'members', value: [{ value: ada.id }, { value: 'scr_nobody' }] },
    );
    expect([status, body.scimType, body.detail]).toEqual([
      400,
      'invalidValue',
      'members: unknown resource "scr_nobody"',
    ]);
    expect((await client.send('GET', `/Groups/${staff.id}`)).body).toMatchObject({
      displayName: 'Staff',
      meta: { version: 'W/"1"' },
    });
  });
});

describe('a SCIM body', () => {
  const post = (body: string | Buffer, type = 'application/scim+json') =>
    fetch(`${gateway.url}/scim/v2/${client.connector}/Users`, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${client.token}` },
      body,
    });

  it('is limited to 1 MiB for a user and 8 MiB for a group, and rejected with a SCIM error', async () => {
    const padding = 'x'.repeat(1024 * 1024);
    const tooLarge = { status: 413, body: { status: '413', detail: 'the body is too large' } };
    expect(await client.send('POST', '/Users', { userName: 'a', password: padding })).toMatchObject(tooLarge);
    expect((await client.send('POST', '/Groups', { displayName: 'a', password: padding })).status).toBe(201);
    expect(await client.send('POST', '/Groups', { displayName: 'a', password: padding.repeat(8) })).toMatchObject(
      tooLarge,
    );
    const chunks = new ReadableStream({
      start(stream) {
        for (let n = 0; n < 20; n += 1) stream.enqueue(Buffer.from(padding.slice(0, 100_000)));
        stream.close();
      },
    });
    const unknownLength = await fetch(`${gateway.url}/scim/v2/${client.connector}/Users`, {
      method: 'POST',
      headers: { 'content-type': 'application/scim+json', authorization: `Bearer ${client.token}` },
      body: chunks,
      duplex: 'half',
    } as RequestInit);
    expect(unknownLength.status).toBe(413);
  });

  it('of a group may have 100000 members, and of a user at most 20000 values', async () => {
    const members = Array.from({ length: 100_000 }, () => ({ value: 'scr_x' }));
    const group = await client.send('POST', '/Groups', { displayName: 'a', members });
    expect(group.body.detail).toBe('members: unknown resource "scr_x"');
    const user = await client.send('POST', '/Users', { userName: 'a', roles: Array(20_001).fill('r') });
    expect([user.status, user.body.detail]).toEqual([400, 'the body must have at most 20000 values']);
  });

  it('is refused before it is parsed if too many requests of its tenant wait', async () => {
    const release = await client.holdPushes();
    const pushesBegan = countPushes();
    const pushes = Array.from({ length: 16 }, (_, n) => `held ${n}`).map((userName) =>
      client.send('POST', '/Users', { userName }),
    );
    await pushesBegan(16);
    const statuses: number[] = [];
    const answers = Array.from({ length: 110 }, () => post('{"userName":').then(({ status }) => statuses.push(status)));
    // Sixteen have a slot and a hundred wait: the others are refused at once as busy, not as malformed.
    await until(
      () => statuses.length >= 10,
      () => statuses,
    );
    expect(statuses).toEqual(Array(10).fill(503));
    await release();
    expect((await Promise.all(pushes)).map(({ status }) => status)).toEqual(Array(16).fill(201));
    await Promise.all(answers);
    expect(statuses.slice(10)).toEqual(Array(100).fill(400));
  });

  it('and its largest response are counted as memory before the body is read', async () => {
    const tenantId = decodeId('tenant', tenant.slice('/tenants/'.length));
    const acquire = jest.spyOn(ConcurrencyLimiter.prototype, 'acquire');
    const counted = async (method: string, path: string, sent?: object) => {
      acquire.mockClear();
      await client.send(method, path, sent);
      const calls = acquire.mock.calls.filter(([key]) => key === tenantId);
      return calls.map(([, bytes]) => bytes - (sent ? JSON.stringify(sent).length : 0));
    };
    const [resource, page, memberships] = [256 * 1024, 2 * 1024 * 1024, 10 * 1024 * 1024];
    expect(await counted('POST', '/Users', { userName: 'a' })).toEqual([resource]);
    expect(await counted('POST', '/Groups', { displayName: 'a' })).toEqual([resource + memberships]);
    expect(await counted('GET', '/Users')).toEqual([page + memberships]);
    expect(await counted('GET', '/Users?excludedAttributes=groups')).toEqual([page]);
    expect(await counted('GET', '/Users/scr_none')).toEqual([resource + memberships]);
    expect(await counted('DELETE', '/Users/scr_none')).toEqual([0]);
    acquire.mockRestore();
  });

  it('must be JSON in UTF-8, with either content type', async () => {
    const latin = await post(Buffer.from('{"userName":"Ren\xe9"}', 'latin1'));
    expect([latin.status, ((await latin.json()) as Json).detail]).toEqual([400, 'the body must be valid UTF-8']);
    expect((await post('<user/>', 'application/xml')).status).toBe(415);
    expect((await post('{"userName":', 'application/json')).status).toBe(400);
    expect((await post('{"userName":"René"}', 'application/json')).status).toBe(201);
    const deep = await post(`{"userName":"x","active":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect([deep.status, ((await deep.json()) as Json).detail]).toEqual([
      400,
      'the body must be nested at most 64 levels deep',
    ]);
    expect((await client.send('GET', '/Schemas?filter=id%20eq%20%22x%22')).status).toBe(403);
  });
});

describe('a large SCIM response', () => {
  const pushed = (kind: string, count: number, document: object) =>
    gateway.fixture.rows<{ id: string }>(
      `with counted as (
         insert into scim_positions as p (tenant_id, connector_id, users, groups)
         select tenant_id, id, case when $2 = 'User' then $4::int else 0 end, case when $2 = 'Group' then $4::int else 0 end
           from connectors where id = $1
         on conflict (tenant_id, connector_id) do update set users = p.users + excluded.users, groups = p.groups + excluded.groups)
       insert into scim_resources (tenant_id, connector_id, kind, id, name_key, document, position)
       select tenant_id, id, $2, gen_random_uuid(), id::text || ' ' || $2::text || ' large ' || n,
              $3::jsonb || jsonb_build_object('userName', 'large ' || n), n
         from connectors, generate_series(1, $4::int) n where id = $1 returning id`,
      [client.connectorId, kind, JSON.stringify(document), count],
    );

  it('is listed in pages of 2 MiB, shorter than count, with the total', async () => {
    await pushed('User', 15, { title: 'x'.repeat(200_000) });
    const { body } = await client.send('GET', '/Users?count=200');
    expect(body).toMatchObject({ totalResults: 15, startIndex: 1, itemsPerPage: 11 });
    const { body: rest } = await client.send('GET', '/Users?count=200&startIndex=12');
    expect(rest).toMatchObject({ totalResults: 15, startIndex: 12, itemsPerPage: 4 });
    expect((await client.send('GET', '/Users?filter=title%20co%20%22x%22&startIndex=9')).body).toMatchObject({
      totalResults: 15,
      itemsPerPage: 7,
    });
  });

  it('is scanned up to 32 MiB for a filter without an index, and refused as tooMany beyond', async () => {
    await pushed('User', 140, { title: 'x'.repeat(250_000) });
    const { status, body } = await client.send('GET', '/Users?filter=title%20co%20%22q%22');
    expect([status, body.scimType]).toEqual([400, 'tooMany']);
    expect(body.detail).toContain('more than 20000 resources or 32 MiB: filter by userName');
    expect((await client.send('GET', '/Users?filter=userName%20eq%20%22LARGE%207%22')).body.totalResults).toBe(1);
  });

  it('contains at most 20000 members: a larger group is refused, or returned without members after a push', async () => {
    const users = (await pushed('User', 20_001, {})).map(({ id }) => id);
    const staff = await client.group('Staff');
    const join = (some: readonly string[]) =>
      gateway.fixture.rows(
        `insert into scim_members (group_id, member_id, tenant_id)
         select r.id, m, r.tenant_id from scim_resources r, unnest($2::uuid[]) m where r.id = $1`,
        [decodeId('scimResource', staff.id), some],
      );
    await join(users.slice(1));
    expect(await client.members(staff)).toHaveLength(20_000);
    await join(users.slice(0, 1));
    const { status, body } = await client.send('GET', `/Groups/${staff.id}`);
    expect([status, body.scimType, body.detail]).toEqual([
      400,
      'tooMany',
      'a response can have at most 20000 members: request it with excludedAttributes=members',
    ]);
    expect((await client.send('GET', '/Groups')).body.scimType).toBe('tooMany');
    expect((await client.send('GET', `/Groups/${staff.id}?excludedAttributes=members`)).status).toBe(200);
    const put = await client.send('PUT', `/Groups/${staff.id}`, { displayName: 'Everybody' });
    expect([put.status, put.body.displayName, put.body.members]).toEqual([200, 'Everybody', undefined]);
  });

  it('comes from resources with at most 10000 values', async () => {
    const extension = { list: Array(10_000).fill(1) };
    const { status, body } = await client.send('POST', '/Users', { userName: 'a', 'urn:x:y:z': extension });
    expect([status, body.detail]).toEqual([400, 'the resource must have at most 10000 values']);
  });
});
