import { afterEach, describe, expect, it } from '@jest/globals';
import { loopback, testServer } from '../../test/http-server.js';
import { SourceError } from '../connector.js';
import { ApiClient, type ApiSettings } from './api-client.js';
import { basic, bearer, headerAuthentication } from './authentication.js';
import { StatusError } from './failures.js';
import type { HttpLimits } from './http-limits.js';
import { HttpTransport } from './http-transport.js';

const server = await testServer();
const other = await testServer();
const quick = { firstPauseMs: 1, longestPauseMs: 5 };
const signal = new AbortController().signal;
const open: HttpTransport[] = [];

function client(settings: Partial<ApiSettings> = {}, limits: Partial<HttpLimits> = {}): ApiClient {
  const transport = new HttpTransport({ allowedCidrs: loopback, limits: { ...quick, ...limits } });
  open.push(transport);
  return new ApiClient(transport, { baseUrl: `${server.origin}/api/v1/`, ...settings });
}

const get = (settings?: Partial<ApiSettings>, limits?: Partial<HttpLimits>) =>
  client(settings, limits).page(signal).get('/users');

afterEach(async () => {
  await Promise.all(open.splice(0).map((transport) => transport.close()));
});

describe('a request', () => {
  it('goes below the base URL with its query and headers, and gives parsed JSON', async () => {
    server.replies({ body: { ok: 'ä' }, headers: { 'x-a': '1' } });
    const api = client({ headers: { 'x-static': 's' }, auth: bearer('t0ken') });
    const answer = await api.page(signal).get('/users', { query: { q: 'a&b', none: undefined, n: 5 } });
    expect(answer).toMatchObject({ status: 200, body: { ok: 'ä' }, from: `GET ${server.origin}/api/v1/users` });
    expect(answer.headers['x-a']).toBe('1');
    expect(server.asked[0]?.url.href).toBe(`${server.origin}/api/v1/users?q=a%26b&n=5`);
    expect(server.asked[0]?.headers).toMatchObject({ 'x-static': 's', authorization: 'Bearer t0ken' });
  });

  it('posts JSON, forms and text', async () => {
    server.replies({ body: {} });
    const page = client().page(signal);
    await page.post('/q', { json: { a: 1 } });
    await page.post('/q', { form: { a: '1 2' } });
    await page.post('/q', { text: '<a/>', headers: { 'content-type': 'text/xml' }, as: 'text' });
    expect(server.asked.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['{"a":1}', 'application/json'],
      ['a=1+2', 'application/x-www-form-urlencoded'],
      ['<a/>', 'text/xml'],
    ]);
  });

  it('has no body to give of 204, and text where that is wanted', async () => {
    server.replies({ status: 204 }, { body: '<a/>' });
    const page = client().page(signal);
    await expect(page.get('/a')).resolves.toMatchObject({ body: undefined });
    await expect(page.get('/a', { as: 'text' })).resolves.toMatchObject({ body: '<a/>' });
  });

  it('keeps integers that a number cannot hold', async () => {
    server.replies({ body: '{"id":12345678901234567890,"text":"12345678901234567890","small":9007199254740991}' });
    await expect(get()).resolves.toMatchObject({
      body: { id: '12345678901234567890', text: '12345678901234567890', small: 9007199254740991 },
    });
  });
});

describe('whom a client calls', () => {
  it('is nobody in a private network that is not allowed, and none in public without TLS', async () => {
    const transport = new HttpTransport({ limits: quick });
    open.push(transport);
    const closed = new ApiClient(transport, { baseUrl: server.origin });
    await expect(closed.page(signal).get('/')).rejects.toThrow('it is not called: 127.0.0.1 is not a public address');
    const plain = new HttpTransport({ limits: quick, resolve: async () => ['8.8.8.8'] });
    open.push(plain);
    const unsafe = new ApiClient(plain, { baseUrl: 'http://scim.example' });
    await expect(unsafe.page(signal).get('/')).rejects.toThrow('8.8.8.8 is called over https only');
  });

  it('is no other origin, by redirect or link, and credentials never go there', async () => {
    other.replies({ body: {} });
    server.replies({ status: 302, headers: { location: `${other.origin}/api` } });
    await expect(get({ auth: bearer('t0ken') })).rejects.toThrow('a redirect to another origin, which is not followed');
    const page = client().page(signal);
    for (const link of [`${other.origin}/x`, '//evil.example/x', 'http://', server.origin.replace('//', '//a:b@')]) {
      await expect(page.follow(link)).rejects.toThrow('a link to another origin, which is not followed');
    }
    expect(other.asked).toEqual([]);
  });

  it('follows redirects and links within the origin, but not for ever', async () => {
    server.serve(({ url }) =>
      url.pathname === '/api/v1/users' ? { status: 301, headers: { location: '/elsewhere?x=1' } } : { body: [1] },
    );
    await expect(get()).resolves.toMatchObject({ body: [1] });
    await expect(client().page(signal).follow('/next?page=2')).resolves.toMatchObject({ body: [1] });
    expect(server.asked.at(-1)?.url.href).toBe(`${server.origin}/next?page=2`);
    server.replies({ status: 302, headers: { location: '/api/v1/users' } });
    await expect(get()).rejects.toThrow('answered 302');
    expect(server.asked).toHaveLength(4);
  });

  it('is refused as a URL with credentials, a query, or of another kind', () => {
    for (const baseUrl of ['ftp://a.example', 'https://u:p@a.example', 'https://a.example/?k=v', 'nowhere']) {
      expect(() => client({ baseUrl })).toThrow(SourceError);
    }
  });
});

describe('a request that fails', () => {
  it('is sent again after 429, 5xx and a broken connection', async () => {
    server.replies(
      { status: 429 },
      { status: 503, headers: { 'retry-after': '0' } },
      { body: { list: [1, 2, 3] }, cutAfter: 5 },
      { body: '{"list":[1' },
      { body: { list: [] } },
    );
    await expect(get()).resolves.toMatchObject({ body: { list: [] } });
    expect(server.asked).toHaveLength(5);
  });

  it('is given up after some tries, saying what was answered', async () => {
    server.replies({ status: 500, body: { message: 'database down' } });
    await expect(get({}, { attempts: 3 })).rejects.toThrow(
      `GET ${server.origin}/api/v1/users answered 500 (database down) (tried 3 times)`,
    );
    server.replies({ body: { list: [] }, cutAfter: 3 });
    await expect(get({}, { attempts: 2 })).rejects.toThrow('the connection ended before the answer did');
    server.replies({ body: '<html>' });
    await expect(get({}, { attempts: 2 })).rejects.toThrow('the answer is not valid JSON (tried 2 times)');
    expect(server.asked).toHaveLength(2);
  });

  it('waits as long as it is asked to, but no longer than a page may take', async () => {
    server.replies({ status: 429, headers: { 'retry-after': '1' } }, { body: {} });
    const began = performance.now();
    await get();
    expect(performance.now() - began).toBeGreaterThan(990);
    server.replies({ status: 429, headers: { 'retry-after': '3600' } });
    await expect(get()).rejects.toThrow('answered 429: to wait 3601 s more would be longer than the 300 s');
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    server.replies({ status: 429, headers: { 'retry-after': inAnHour } });
    await expect(get()).rejects.toThrow('would be longer');
    expect(server.asked).toHaveLength(1);
  });

  it('shares what may be waited among the requests of a page', async () => {
    let calls = 0;
    server.serve(() => (calls++ % 2 === 0 ? { status: 429, headers: { 'retry-after': '0.2' } } : { body: {} }));
    const api = client({}, { waitMs: 500 });
    const page = api.page(signal);
    await page.get('/1');
    await page.get('/2');
    await expect(page.get('/3')).rejects.toThrow('longer than the 0.5 s that a page is waited for');
  });

  it('is not sent again after any other status', async () => {
    server.replies({ status: 400, body: { error: { code: 'resyncRequired', message: 'start over' } } });
    const error = await get().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({
      message: `GET ${server.origin}/api/v1/users answered 400 (resyncRequired: start over)`,
      status: 400,
      code: 'resyncRequired',
    });
    expect(server.asked).toHaveLength(1);
  });

  it('is bounded in time and size', async () => {
    server.replies({ silent: true });
    await expect(get({}, { exchangeMs: 50, attempts: 2 })).rejects.toThrow('no complete answer within 0.05 s');
    server.replies({ body: 'x'.repeat(2_000) });
    await expect(get({}, { bodyBytes: 1_000 })).rejects.toThrow('the answer is larger than 1000 bytes');
    expect(server.asked).toHaveLength(1);
    server.replies({ body: 'x', headers: { 'content-encoding': 'br' } });
    await expect(get()).rejects.toThrow('encoded as br');
  });

  it('ends at once where the signal does, with its reason', async () => {
    const reason = new Error('cancelled');
    for (const reply of [{ silent: true }, { status: 429, headers: { 'retry-after': '200' } }]) {
      const controller = new AbortController();
      server.serve(() => {
        setImmediate(() => controller.abort(reason));
        return reply;
      });
      await expect(client().page(controller.signal).get('/')).rejects.toBe(reason);
      await expect(client().page(controller.signal).get('/')).rejects.toBe(reason);
      expect(server.asked).toHaveLength(1);
    }
  });
});

describe('a service that tells its rate', () => {
  const rate = { remaining: 'x-ratelimit-remaining', reset: 'X-RateLimit-Reset', resetIn: 'epoch_seconds' } as const;
  const headersAt = (remaining: number, inSeconds: number) => ({
    date: 'Sat, 31 Jan 2026 12:00:00 GMT',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Date.parse('2026-01-31T12:00:00Z') / 1000 + inSeconds),
  });

  it('is not called before it is welcome, by its own clock', async () => {
    server.replies({ body: {}, headers: headersAt(0, 1) }, { body: {}, headers: headersAt(0, 900) });
    const page = client({ rate }).page(signal);
    await page.get('/1');
    const began = performance.now();
    await page.get('/2');
    expect(performance.now() - began).toBeGreaterThan(900);
    await expect(page.get('/3')).rejects.toThrow('/3 is at its rate limit: to wait 900 s more');
    expect(server.asked).toHaveLength(2);
  });

  it('is called on while enough is left, and after a 403 that means 429', async () => {
    server.replies(
      { body: {}, headers: headersAt(10, 900) },
      { status: 403, headers: headersAt(0, 1) },
      { body: {}, headers: headersAt(10, 900) },
    );
    const page = client({ rate }).page(signal);
    await page.get('/1');
    await page.get('/2');
    expect(server.asked).toHaveLength(3);
    await expect(
      client({ rate: { ...rate, reserve: 10 } })
        .page(signal)
        .get('/1'),
    ).resolves.toBeDefined();
  });
});

describe('credentials', () => {
  it('are sent as basic, or in a header of any name', async () => {
    server.replies({ body: {} });
    await get({ auth: basic('ann', 'pä:ss') });
    await get({ auth: headerAuthentication('x-api-key', 'k3y') });
    expect(server.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ann:pä:ss').toString('base64')}`);
    expect(server.asked[1]?.headers['x-api-key']).toBe('k3y');
    expect(() => headerAuthentication('x-key', 'a\r\nx: y')).toThrow('characters that cannot be sent in a header');
  });

  it('stand in no message, also where the service repeats them', async () => {
    server.replies({ status: 401, body: { error: 'bad t0ken', error_description: 'Bearer t0ken is unknown' } });
    await expect(get({ auth: bearer('t0ken') })).rejects.toThrow('answered 401 (bad ***: Bearer *** is unknown)');
    expect(server.asked).toHaveLength(1);
  });
});
