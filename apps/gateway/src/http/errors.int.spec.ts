import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { encodeId, newUuid } from '@idsync/contracts';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken, gatewayConfig } from '../../test/gateway-config.js';
import { type Gateway, startGateway } from '../start.js';

const json = { 'content-type': 'application/json' };

let database: TestDatabase;
let gateway: Gateway;
let key: string;
let tenantPath: string;

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startGateway(gatewayConfig(database.url, { WEBHOOK_ALLOW_CIDRS: ['10.9.0.0/16'] }));
  const tenant = await asOperator('POST', '/admin/v1/tenants', { name: 'Test' });
  tenantPath = `/admin/v1/tenants/${tenant.id}`;
  key = (await asOperator('POST', `${tenantPath}/api-keys`, { name: 'test' })).key ?? '';
});

afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});

async function asOperator(method: string, path: string, body: object): Promise<Record<string, string>> {
  const headers = { ...json, authorization: `Bearer ${adminToken}` };
  const { text } = await send(path, { method, headers, body: JSON.stringify(body) });
  return JSON.parse(text);
}

/** Sends the path unchanged; fetch would normalize it. */
function send(path: string, { method = 'GET', headers = {}, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(gateway.url, { path, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'],
          cacheControl: answer.headers['cache-control'],
          contentOptions: answer.headers['x-content-type-options'],
          requestId: answer.headers['x-request-id'],
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Received {
  status: number;
  type?: string;
  cacheControl?: string;
  contentOptions?: string | string[];
  requestId?: string | string[];
  text: string;
}

async function expectError(status: number, path: string, sent: Sent = {}): Promise<string> {
  const { text, ...answer } = await send(path, { ...sent, headers: { 'x-api-key': key, ...sent.headers } });
  const body: unknown = JSON.parse(text);
  expect({ ...answer, body }).toEqual({
    status,
    type: 'application/json; charset=utf-8',
    cacheControl: 'no-store',
    contentOptions: 'nosniff',
    requestId: expect.stringMatching(/^[\w.:/-]+$/),
    body: { error: expect.stringMatching(/^[^\0]{3,300}$/) },
  });
  return (body as { error: string }).error;
}

const post = (body: string | Buffer, headers: Record<string, string> = json): Sent => ({
  method: 'POST',
  headers,
  body,
});
const webhook = (fields: string) => post(`{"callback_url":"https://example.com","events":["*"]${fields}}`);

describe('a callback_url', () => {
  const subscribe = (url: string) => post(JSON.stringify({ callback_url: url, events: ['*'] }));

  it.each([
    ['http://127.0.0.1/hook'],
    ['http://2130706433/hook'],
    ['http://0x7f.1/hook'],
    ['http://[::1]/hook'],
    ['http://[::ffff:10.0.0.1]/hook'],
    ['http://169.254.169.254/latest/meta-data'],
    ['https://10.8.0.1/hook'],
    ['https://example.com:25/hook'],
  ])('with a blocked address or port is rejected with 400: %s', async (url) => {
    expect(await expectError(400, '/v1/webhooks', subscribe(url))).toMatch(/^callback_url cannot be called: /);
  });

  it.each([['https://10.9.0.1/hook'], ['https://receiver.internal/hook'], ['https://8.8.8.8:8443/hook']])(
    'with a trusted or public address or a host name is accepted: %s',
    async (url) => {
      const answer = await send('/v1/webhooks', { ...subscribe(url), headers: { ...json, 'x-api-key': key } });
      expect(answer.status).toBe(201);
    },
  );
});

describe('a body', () => {
  it.each([
    ['cut short', '{"callback_url":'],
    ['no JSON', 'callback_url=https://example.com'],
    ['with a comma too many', '{"a":1,}'],
    ['two values', '{} {}'],
    ['a blank', ' '],
    ['a bare NUL', '\0'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['nested without end', '['.repeat(100_000)],
    ['with a __proto__', '{"__proto__":{"callback_url":"https://example.com"}}'],
    ['with a constructor.prototype', '{"constructor":{"prototype":{"a":1}}}'],
    ['a list', '[]'],
    ['a text', '"text"'],
    ['a number', '5'],
    ['false', 'false'],
  ])('that is %s is rejected with 400', async (_what, body) => {
    await expectError(400, '/v1/webhooks', post(body));
    await expectError(400, '/v1/sync/trigger', post(body));
    await expectError(400, '/admin/v1/tenants', post(body, { ...json, authorization: `Bearer ${adminToken}` }));
  });

  it('that names a prototype is rejected with an error that says so', async () => {
    for (const body of ['{"__proto__":{}}', '{"a":[{"constructor":{"prototype":1}}]}']) {
      expect(await expectError(400, '/v1/webhooks', post(body))).toBe(
        'the body must not contain the names __proto__ or constructor.prototype',
      );
    }
    expect(await expectError(400, '/v1/webhooks', post('{"__proto__":'))).toBe('the body must be valid JSON');
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'x',
    ';',
  ])('of the type "%s" is rejected with 400', async (type) => {
    await expectError(400, '/v1/webhooks', post('{}', { 'content-type': type }));
  });

  it('without a type is rejected with 400', async () => {
    await expectError(400, '/v1/webhooks', post('{}', {}));
  });

  it('of the type application/json in any spelling is accepted', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset="utf-8"']) {
      expect(await expectError(400, '/v1/webhooks', post('{}', { 'content-type': type }))).toBe(
        'callback_url is required',
      );
    }
  });

  it('that is nested too deeply is rejected with 400 in any field, and one with usual nesting is accepted', async () => {
    const operator = { ...json, authorization: `Bearer ${adminToken}` };
    for (const deep of [`${'['.repeat(65)}${']'.repeat(65)}`, `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`]) {
      for (const [path, sent] of [
        ['/v1/webhooks', webhook(`,"more":${deep}`)],
        ['/v1/webhooks', post(deep)],
        ['/v1/sync/trigger', post(`{"connector_id":${deep}}`)],
        ['/admin/v1/tenants', post(`{"name":${deep}}`, operator)],
      ] as const) {
        expect(await expectError(400, path, sent)).toBe('the body must be nested at most 64 levels deep');
      }
    }
    const usual = webhook(`,"more":${'['.repeat(60)}${']'.repeat(60)},"text":"${'['.repeat(1_000)}"`);
    const answer = await send('/v1/webhooks', { ...usual, headers: { ...json, 'x-api-key': key } });
    expect(answer.status).toBe(201);
  });

  it('with too many values or names is rejected with 400 before it is parsed', async () => {
    const most = 'the body must have at most';
    const [values, names] = [
      Array(20_001).fill(1),
      Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [n, 1])),
    ];
    expect(await expectError(400, '/v1/webhooks', post(JSON.stringify({ values })))).toBe(`${most} 20000 values`);
    expect(await expectError(400, '/v1/webhooks', post(JSON.stringify(names)))).toBe(`${most} 10000 names`);
    const notEvenJson = post('1,'.repeat(20_001));
    expect(await expectError(400, '/v1/webhooks', notEvenJson)).toBe(`${most} 20000 values`);
  });

  it('that is too large is rejected with 413, with a declared length or chunked', async () => {
    const large = `"${'x'.repeat(1024 * 1024)}"`;
    await expectError(413, '/v1/webhooks', post(large));
    await expectError(413, '/v1/webhooks', post(large, { ...json, 'transfer-encoding': 'chunked' }));
  });

  it('with text that PostgreSQL cannot store is rejected with 400 in any field', async () => {
    for (const bad of ['\\u0000', '\\ud800', '\\udc00x']) {
      await expectError(400, '/v1/webhooks', post(`{"callback_url":"https://example.com/${bad}","events":["*"]}`));
      await expectError(400, '/v1/webhooks', post(`{"callback_url":"https://example.com","events":["${bad}"]}`));
      await expectError(400, '/v1/sync/trigger', post(`{"connector_id":"con_${bad}"}`));
      await expectError(400, '/v1/sync/trigger', post(`{"connector_id":"con","idempotency_key":"${bad}"}`));
      const asAdmin = { ...json, authorization: `Bearer ${adminToken}` };
      await expectError(400, '/admin/v1/tenants', post(`{"name":"a${bad}"}`, asAdmin));
    }
  });

  it('with unknown fields is accepted without them, so that clients may be newer', async () => {
    const answer = await send('/v1/webhooks', {
      ...webhook(',"later":{"a":"\\u0000"}'),
      headers: { ...json, 'x-api-key': key },
    });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain('later');
  });
});

describe('a request with a query parameter that the route does not have', () => {
  const at = '?at=2020-01-01T00:00:00Z';

  it.each([
    ['identities'],
    ['users'],
    ['users/x'],
    ['identities/x/history'],
    ['sync/jobs/x'],
    ['webhooks'],
    ['events'],
  ])('is rejected with 400 for at, instead of returning the present state: %s', async (path) => {
    expect(await expectError(400, `/v1/${path}${at}`)).toMatch(/^at is not supported here/);
  });

  it('is accepted for any other, and rejected with 400 and the name if it prefers strict handling', async () => {
    const headers = { 'x-api-key': key, prefer: 'handling=strict' };
    const lenient = await fetch(`${gateway.url}/v1/users?stauts=active`, { headers: { 'x-api-key': key } });
    expect([lenient.status, lenient.headers.get('preference-applied')]).toEqual([200, null]);
    const strict = await fetch(`${gateway.url}/v1/users?stauts=active`, { headers });
    expect([strict.status, strict.headers.get('preference-applied')]).toEqual([400, 'handling=strict']);
    expect(await strict.json()).toEqual({ error: expect.stringMatching(/^unknown query parameter "stauts": /) });
    const correct = await fetch(`${gateway.url}/v1/users?status=active`, { headers });
    expect([correct.status, correct.headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
    const health = await fetch(`${gateway.url}/v1/health?x`, { headers });
    expect(health.status).toBe(400);
    const name = `%00${'x'.repeat(3_000)}`;
    expect(await expectError(400, `/v1/users?${name}`, { headers })).toMatch(/^unknown query parameter "/);
  });

  it('is rejected with 401 without a key, in strict handling too', async () => {
    await expectError(401, `/v1/users${at}`, { headers: { 'x-api-key': 'x', prefer: 'handling=strict' } });
  });
});

describe('an identity at a past time', () => {
  it('is rejected with 400 for a time in the future', async () => {
    const path = `/v1/identities/${encodeId('identity', newUuid())}`;
    expect(await expectError(400, `${path}?at=2200-01-01T00:00:00Z`)).toBe(
      'at must not be in the future, got 2200-01-01T00:00:00Z',
    );
    await expectError(404, `${path}?at=2020-01-01T00:00:00Z`);
  });
});

describe('an invalid request of an operator', () => {
  const unknown = 'idn_01h00000000000000000000000';
  const rules = (parts: object) => ({ certain: [], weak: [], ...parts });

  it.each<[string, string, object | undefined, number, RegExp]>([
    ['POST', `identities/${unknown}/merge`, { from_ids: [unknown] }, 404, /not found/],
    ['POST', `identities/${unknown}/merge`, { from_ids: [] }, 400, /^from_ids/],
    ['POST', `identities/${unknown}/split`, { record_ids: [] }, 400, /^record_ids/],
    ['POST', 'identities/nonsense/split', { record_ids: ['usr_1'] }, 404, /not found/],
    ['POST', 'cases/cas_01h00000000000000000000000/resolve', { resolution: 'new' }, 404, /not found/],
    ['GET', 'cases?status=closed', undefined, 400, /^status must be one of/],
    ['GET', 'operations/opn_01h00000000000000000000000', undefined, 404, /not found/],
    ['PUT', 'matching-rules', rules({ certain: ['email', 'email'] }), 400, /^certain must not name a key twice/],
    ['PUT', 'matching-rules', rules({ certain: ['phone'] }), 400, /^certain\.0 must be employee_number, email, /],
    ['PUT', 'matching-rules', rules({ weak: [{ name: 'x\u0000' }] }), 400, /^weak\.0/],
    [
      'PUT',
      'matching-rules',
      rules({ several_employments: 'join' }),
      400,
      /^several_employments must be primary or case/,
    ],
    ['PUT', 'lifecycle-policy', { time_zone: 'Oslo' }, 400, /^time_zone must be a time zone such as Europe\/Oslo/],
    ['PUT', 'lifecycle-policy', { time_zone: '+01:00' }, 400, /^time_zone must be a time zone/],
    ['PUT', 'lifecycle-policy', { retention_days: 0 }, 400, /^retention_days/],
  ])('is rejected with the reason: %s %s %j', async (method, path, body, status, error) => {
    const headers = { ...(body && json), authorization: `Bearer ${adminToken}` };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    expect(await expectError(status, `${tenantPath}/${path}`, sent)).toMatch(error);
  });
});

describe('a request with two errors', () => {
  const operator = { ...json, authorization: `Bearer ${adminToken}` };

  it('reports its body before an unknown tenant in the path, and its query before an unknown id', async () => {
    expect(await expectError(400, '/admin/v1/tenants/x/api-keys', post('{}', operator))).toBe('name is required');
    expect(await expectError(400, '/v1/identities/x?at=x')).toMatch(/^at must be /);
  });

  it('reports an unknown webhook before an invalid body', async () => {
    for (const body of ['{"active":1}', '[]']) {
      await expectError(404, '/v1/webhooks/x', { ...post(body), method: 'PATCH' });
    }
    await expectError(404, '/v1/webhooks/x/rotate-secret', post('{"overlap_hours":-1}'));
  });
});

describe('a URL', () => {
  const names = [
    '%zz',
    '%',
    '%00',
    '%c3%28',
    '%ed%a0%80',
    '..%2f..',
    '%2e%2e',
    'x'.repeat(300),
    'a;b',
    "'",
    '{id}',
    '%25zz',
  ];

  it.each(names)('with the id %.40s returns 404', async (id) => {
    for (const path of ['identities/ID', 'identities/ID/history', 'users/ID', 'sync/jobs/ID']) {
      await expectError(404, `/v1/${path.replace('ID', id)}`);
    }
    await expectError(404, `/v1/webhooks/${id}`, { method: 'DELETE' });
    await expectError(404, `/v1/webhooks/${id}/rotate-secret`, { method: 'POST' });
    await expectError(404, `/v1/webhooks/${id}`, { method: 'PATCH', headers: json, body: '{}' });
    const headers = { authorization: `Bearer ${adminToken}` };
    await expectError(404, `/admin/v1/tenants/${id}`, { headers });
    await expectError(404, `/admin/v1/tenants/${id}/connectors/${id}`, { headers });
  });

  it.each(names)('with the id %.40s returns 401 without a key', async (id) => {
    for (const headers of [{ 'x-api-key': '' }, { 'x-api-key': 'nonsense' }]) {
      expect(await expectError(401, `/v1/identities/${id}`, { headers })).toBe('missing or invalid API key');
    }
    expect(await expectError(401, `/admin/v1/tenants/${id}`)).toBe('missing or invalid operator token');
  });

  it.each([
    '/v1/nothing',
    '/v1/',
    '/v1',
    '/v1/identities/',
    '/v1//identities',
    '/v1/health/x',
    '/v1/%69dentities/a/b',
    '/v1/sync',
  ])('%s without a route returns 401 without a key and 404 with one', async (path) => {
    expect(await expectError(401, path, { headers: { 'x-api-key': '' } })).toBe('missing or invalid API key');
    await expectError(404, path);
  });

  it.each([
    '/nothing',
    '/v2/identities',
    '/v1x',
    '/docs/../../package.json',
    '/docs/nothing.js',
    '/.env',
    '/%2e%2e/x',
    '/favicon.ico',
    '//',
    '/%zz',
    '/%',
  ])('%s outside the API returns 404', async (path) => {
    await expectError(404, path, { headers: { 'x-api-key': '' } });
  });

  it.each(['/admin/v1/nothing', '/admin/', '/admin/v1/tenants/a/b/c', '/%61dmin/v1/nothing'])(
    '%s of the operator API without a route returns 401 without the token and 404 with it',
    async (path) => {
      await expectError(401, path);
      await expectError(404, path, { headers: { authorization: `Bearer ${adminToken}` } });
    },
  );

  it('that encodes a route differently requires the key as well', async () => {
    for (const path of ['/v1/%69dentities', '/v1/users?x=/v1/health', '/v1/users#/v1/health', '/%76%31/users']) {
      await expectError(401, path, { headers: { 'x-api-key': '' } });
    }
    for (const path of ['/V1/users', '/v1/users%2f', '/v1/health/../users', '/v1;/users']) {
      const { status } = await send(path, {});
      expect([401, 404]).toContain(status);
    }
  });

  it.each([
    ['PUT', '/v1/identities'],
    ['POST', '/v1/identities'],
    ['DELETE', '/v1/users'],
    ['GET', '/v1/sync/trigger'],
    ['PUT', '/v1/webhooks'],
    ['GET', '/v1/webhooks/x'],
    ['OPTIONS', '/v1/users'],
    ['POST', '/v1/health'],
  ])('with an unsupported method, %s %s, returns 404 with a key and 401 without', async (method, path) => {
    await expectError(404, path, { method });
    await expectError(401, path, { method, headers: { 'x-api-key': '' } });
  });

  it('longer than the limit of a request line is rejected, and the next request is served', async () => {
    const { status, text } = await send(`/v1/identities/${'x'.repeat(20_000)}`, {});
    expect([400, 404, 414, 431]).toContain(status);
    expect(Object.keys(JSON.parse(text))).toEqual(['error']);
    expect((await send('/v1/health', {})).status).toBe(200);
  });
});

describe('a header', () => {
  it('X-API-Key sent twice is rejected with 401', async () => {
    const answer = await raw(
      `GET /v1/users HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('{"error":"missing or invalid API key"}');
  });

  it('Host that is missing is rejected with 400 in HTTP/1.1 and accepted in HTTP/1.0', async () => {
    const missing = await raw('GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(missing).toMatch(/^HTTP\/1\.1 400 /);
    expect(missing).toContain('{"error":"the Host header is missing"}');
    expect(await raw('GET /v1/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('Expect with an unknown value is ignored', async () => {
    const answer = await raw('GET /v1/health HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that is invalid HTTP is rejected with 400, and later bytes are not read as requests', async () => {
    for (const head of [
      'NONSENSE\r\n\r\n',
      'GET /v1/health HTTP/1.1\r\nBad Header\r\n\r\n',
      'GET /v1/health HTTP/9\r\n\r\n',
    ]) {
      const answer = await raw(head);
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\n\r\n\{"error":"[^"]+"\}$/);
    }
    const both =
      'POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(await raw(`${both}GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.on('error', reject);
  });
}
