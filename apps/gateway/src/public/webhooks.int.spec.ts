import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken, gatewayConfig } from '../../test/gateway-config.js';
import { type Gateway, startGateway } from '../start.js';

const url = 'https://example.com/hook';

let database: TestDatabase;
let rows: DirectoryFixture;
let gateway: Gateway;
let tenantId: string;
let key: string;

type Reply = Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  rows = DirectoryFixture.connect(database.url);
  gateway = await startGateway(gatewayConfig(database.url, { WEBHOOK_ALLOW_CIDRS: ['10.0.0.0/8'] }));
  tenantId = (await operator('/tenants', { name: 'Test' })).body.id ?? '';
  key = (await operator(`/tenants/${tenantId}/api-keys`, { name: 'test' })).body.key ?? '';
});

afterAll(async () => {
  await gateway?.close();
  await rows?.close();
  await database?.drop();
});

async function call(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const answer = await fetch(gateway.url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Reply };
}

const operator = (path: string, body?: unknown) =>
  call('POST', `/admin/v1${path}`, { authorization: `Bearer ${adminToken}` }, body);
const asTenant = (method: string, path: string, body?: unknown) =>
  call(method, `/v1${path}`, { 'x-api-key': key }, body);
const subscribe = (callbackUrl: string) => asTenant('POST', '/webhooks', { callback_url: callbackUrl, events: ['*'] });

/** Returns the hours until each secret of the newest webhook expires, oldest first. */
async function hoursLeft(): Promise<(number | null)[]> {
  const secrets = await rows.rows<{ hours: number | null }>(
    `select round(extract(epoch from expires_at - now()) / 3600)::int as hours from webhook_secrets
      where webhook_id = (select id from webhooks order by created_at desc, id desc limit 1) order by id`,
  );
  return secrets.map(({ hours }) => hours);
}

describe('a rotation of the signing secret', () => {
  const asWhom: [string, (id: string) => (body?: unknown) => ReturnType<typeof call>][] = [
    ['a key', (id) => (body) => asTenant('POST', `/webhooks/${id}/rotate-secret`, body)],
    ['an operator', (id) => (body) => operator(`/tenants/${tenantId}/webhooks/${id}/rotate-secret`, body)],
  ];

  it.each(asWhom)('keeps earlier secrets valid for the hours that %s requests, 24 by default', async (_who, of) => {
    const rotate = of((await subscribe(url)).body.id ?? '');
    for (const body of [undefined, {}, { overlap_hours: 720 }, { overlap_hours: 1 }]) {
      expect(await rotate(body)).toEqual({
        status: 200,
        body: { signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
      });
    }
    expect(await hoursLeft()).toEqual([1, 1, 1, 1, null]);
  });

  it.each(asWhom)('by %s with an overlap of 0 revokes every earlier secret at once', async (_who, of) => {
    const rotate = of((await subscribe(url)).body.id ?? '');
    await rotate();
    await rotate({ overlap_hours: 720 });
    expect((await rotate({ overlap_hours: 0 })).status).toBe(200);
    expect(await hoursLeft()).toEqual([null]);
  });

  it.each(asWhom)('by %s with invalid or unknown fields is rejected with 400 and revokes nothing', async (_who, of) => {
    const rotate = of((await subscribe(url)).body.id ?? '');
    for (const hours of [-1, 721, 1.5, '0', null, [], true, 1e300]) {
      expect(await rotate({ overlap_hours: hours })).toEqual({
        status: 400,
        body: { error: 'overlap_hours must be an integer from 0 to 720' },
      });
    }
    expect(await rotate({ overlap_hour: 0, force: true })).toEqual({
      status: 400,
      body: { error: 'unknown field overlap_hour, force' },
    });
    expect((await rotate([0])).status).toBe(400);
    expect(await hoursLeft()).toEqual([null]);
  });

  it.each(asWhom)('by %s of an unknown webhook returns 404', async (_who, of) => {
    for (const id of ['whk_nonsense', 'whk_00000000000000000000000000']) {
      expect((await of(id)({ overlap_hours: 0 })).status).toBe(404);
    }
  });
});

describe('a callback_url', () => {
  it.each([
    ['HTTPS://Example.COM', 'https://example.com/'],
    ['https://example.com:443/a/../b', 'https://example.com/b'],
    ['https://bücher.example/ä?q=ü#f', 'https://xn--bcher-kva.example/%C3%A4?q=%C3%BC#f'],
    ['https:\\\\example.com\\hook', 'https://example.com/hook'],
    ['http://0x0a.1/hook', 'http://10.0.0.1/hook'],
    [' https://example.com/a b ', 'https://example.com/a%20b'],
    [url, url],
  ])('is stored and returned in the normalized form: %j', async (given, shown) => {
    const { status, body } = await subscribe(given);
    expect([status, body.callback_url]).toEqual([201, shown]);
    await asTenant('PATCH', `/webhooks/${body.id}`, { callback_url: 'https://other.example/' });
    const patched = await asTenant('PATCH', `/webhooks/${body.id}`, { callback_url: given });
    expect([patched.status, patched.body.callback_url]).toEqual([200, shown]);
    expect(await rows.rows('select callback_url from webhooks where callback_url = $1 limit 1', [shown])).toHaveLength(
      1,
    );
  });

  it.each([
    'https://example.com/\t',
    'https://exa\nmple.com/',
    '\nhttps://example.com/',
    'ht\rtps://example.com/',
    'https://example.com/\u001f',
    'https://example.com/\u007f',
    'https://example.com/\u0085',
  ])('with a control character is rejected with 400, even if a URL parser drops it: %j', async (given) => {
    const refused = {
      status: 400,
      body: { error: 'callback_url must not contain control characters such as tabs and newlines' },
    };
    expect(await subscribe(given)).toEqual(refused);
    const { body } = await subscribe(url);
    expect(await asTenant('PATCH', `/webhooks/${body.id}`, { callback_url: given })).toEqual(refused);
  });

  it('that is longer than 2048 characters after normalization is rejected with 400', async () => {
    expect((await subscribe(`https://example.com/${'a'.repeat(2_028)}`)).status).toBe(201);
    expect(await subscribe(`https://example.com/${'ä'.repeat(340)}`)).toEqual({
      status: 400,
      body: { error: 'callback_url must have at most 2048 characters, with non-ASCII characters percent-encoded' },
    });
  });

  it('stored before normalization stays unchanged until it is updated', async () => {
    const { body } = await subscribe(url);
    await rows.rows(`update webhooks set callback_url = 'HTTPS://Example.com' where id = (
      select id from webhooks order by created_at desc, id desc limit 1)`);
    const patched = await asTenant('PATCH', `/webhooks/${body.id}`, { active: false });
    expect(patched).toMatchObject({ status: 200, body: { callback_url: 'HTTPS://Example.com' } });
  });
});
