import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Gateway, startGateway } from './start.js';

const adminToken = 'the-operators-token-of-this-test';
const json = { 'content-type': 'application/json' };

let database: TestDatabase;
let gateway: Gateway;
let key: string;

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    host: '127.0.0.1',
    port: 0,
    adminToken,
    encryptionKeys: [Buffer.alloc(32, 1)],
    allowedCidrs: ['10.9.0.0/16'],
    logLevel: 'fatal',
  });
  const tenant = await asOperator('POST', '/admin/v1/tenants', { name: 'Test' });
  key = (await asOperator('POST', `/admin/v1/tenants/${tenant.id}/api-keys`, { name: 'test' })).key ?? '';
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

/** The path goes out as it is written: no client in between tidies it up. */
function send(path: string, { method = 'GET', headers = {}, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(gateway.url, { path, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'],
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
  text: string;
}

async function expectError(status: number, path: string, sent: Sent = {}): Promise<string> {
  const answer = await send(path, { ...sent, headers: { 'x-api-key': key, ...sent.headers } });
  const body: unknown = JSON.parse(answer.text);
  expect({ status: answer.status, type: answer.type, body }).toEqual({
    status,
    type: 'application/json; charset=utf-8',
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
  ])('that is written with an address or a port we do not call is 400: %s', async (url) => {
    expect(await expectError(400, '/v1/webhooks', subscribe(url))).toMatch(/^callback_url cannot be called: /);
  });

  it.each([['https://10.9.0.1/hook'], ['https://receiver.internal/hook'], ['https://8.8.8.8:8443/hook']])(
    'that is trusted, public or a name is taken: %s',
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
  ])('that is %s is 400', async (_what, body) => {
    await expectError(400, '/v1/webhooks', post(body));
    await expectError(400, '/v1/sync/trigger', post(body));
    await expectError(400, '/admin/v1/tenants', post(body, { ...json, authorization: `Bearer ${adminToken}` }));
  });

  it('that names a prototype is told so, for it is JSON', async () => {
    for (const body of ['{"__proto__":{}}', '{"a":[{"constructor":{"prototype":1}}]}']) {
      expect(await expectError(400, '/v1/webhooks', post(body))).toBe(
        'the body must not contain the names __proto__ or constructor.prototype',
      );
    }
    expect(await expectError(400, '/v1/webhooks', post('{"__proto__":'))).toBe('the body is not valid JSON');
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'x',
    ';',
  ])('of the type "%s" is 400', async (type) => {
    await expectError(400, '/v1/webhooks', post('{}', { 'content-type': type }));
  });

  it('without a type is 400', async () => {
    await expectError(400, '/v1/webhooks', post('{}', {}));
  });

  it('of the type application/json in any spelling is read', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset="utf-8"']) {
      expect(await expectError(400, '/v1/webhooks', post('{}', { 'content-type': type }))).toBe(
        'callback_url is required',
      );
    }
  });

  it('that is nested deeply is 400 wherever it stands, and what is nested as others nest is read', async () => {
    const operator = { ...json, authorization: `Bearer ${adminToken}` };
    for (const deep of [`${'['.repeat(65)}${']'.repeat(65)}`, `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`]) {
      for (const [path, sent] of [
        ['/v1/webhooks', webhook(`,"more":${deep}`)],
        ['/v1/webhooks', post(deep)],
        ['/v1/sync/trigger', post(`{"connector_id":${deep}}`)],
        ['/admin/v1/tenants', post(`{"name":${deep}}`, operator)],
      ] as const) {
        expect(await expectError(400, path, sent)).toBe('the body is nested more than 64 deep');
      }
    }
    const usual = webhook(`,"more":${'['.repeat(60)}${']'.repeat(60)},"text":"${'['.repeat(1_000)}"`);
    const answer = await send('/v1/webhooks', { ...usual, headers: { ...json, 'x-api-key': key } });
    expect(answer.status).toBe(201);
  });

  it('that is too large is 413, with a length or in chunks', async () => {
    const large = `"${'x'.repeat(1024 * 1024)}"`;
    await expectError(413, '/v1/webhooks', post(large));
    await expectError(413, '/v1/webhooks', post(large, { ...json, 'transfer-encoding': 'chunked' }));
  });

  it('with text PostgreSQL cannot keep is 400 wherever it stands', async () => {
    for (const bad of ['\\u0000', '\\ud800', '\\udc00x']) {
      await expectError(400, '/v1/webhooks', post(`{"callback_url":"https://example.com/${bad}","events":["*"]}`));
      await expectError(400, '/v1/webhooks', post(`{"callback_url":"https://example.com","events":["${bad}"]}`));
      await expectError(400, '/v1/sync/trigger', post(`{"connector_id":"con_${bad}"}`));
      await expectError(400, '/v1/sync/trigger', post(`{"connector_id":"con","idempotency_key":"${bad}"}`));
      const asAdmin = { ...json, authorization: `Bearer ${adminToken}` };
      await expectError(400, '/admin/v1/tenants', post(`{"name":"a${bad}"}`, asAdmin));
    }
  });

  it('with fields nobody knows is read without them, so that clients may be ahead', async () => {
    const answer = await send('/v1/webhooks', {
      ...webhook(',"later":{"a":"\\u0000"}'),
      headers: { ...json, 'x-api-key': key },
    });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain('later');
  });
});

describe('an address', () => {
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

  it.each(names)('with the id %.40s is 404', async (id) => {
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

  it.each(names)('with the id %.40s is 401 without a key', async (id) => {
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
  ])('no route has, %s, is 401 without a key and 404 with one', async (path) => {
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
  ])('outside of it, %s, is 404', async (path) => {
    await expectError(404, path, { headers: { 'x-api-key': '' } });
  });

  it.each(['/admin/v1/nothing', '/admin/', '/admin/v1/tenants/a/b/c', '/%61dmin/v1/nothing'])(
    'of the operator that no route has, %s, is 401 without the token and 404 with it',
    async (path) => {
      await expectError(401, path);
      await expectError(404, path, { headers: { authorization: `Bearer ${adminToken}` } });
    },
  );

  it('that is a route written in another way asks for the key all the same', async () => {
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
  ])('with a method it does not have, %s %s, is 404 with a key and 401 without', async (method, path) => {
    await expectError(404, path, { method });
    await expectError(401, path, { method, headers: { 'x-api-key': '' } });
  });

  it('longer than a request line may be is refused, and the next request is served', async () => {
    const { status, text } = await send(`/v1/identities/${'x'.repeat(20_000)}`, {});
    expect([400, 404, 414, 431]).toContain(status);
    expect(Object.keys(JSON.parse(text))).toEqual(['error']);
    expect((await send('/v1/health', {})).status).toBe(200);
  });
});

describe('a header', () => {
  it('X-API-Key that is given twice is 401', async () => {
    const answer = await raw(
      `GET /v1/users HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('{"error":"missing or invalid API key"}');
  });

  it('Host that is missing is 400, but of no concern before HTTP/1.1', async () => {
    const missing = await raw('GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(missing).toMatch(/^HTTP\/1\.1 400 /);
    expect(missing).toContain('{"error":"the Host header is missing"}');
    expect(await raw('GET /v1/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('Expect that nobody knows changes nothing', async () => {
    const answer = await raw('GET /v1/health HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that breaks HTTP is 400, and nothing is read from what follows', async () => {
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
