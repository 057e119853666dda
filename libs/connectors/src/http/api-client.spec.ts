import { afterEach, describe, expect, it } from '@jest/globals';
import { loopback, type Reply, testServer } from '../../test/http-server.js';
import { SourceError } from '../connector.js';
import { ApiClient, type ApiSettings } from './api-client.js';
import { type ClientCredentials, clientCredentials, oauthToken, renewedToken, type Token } from './authenticate.js';
import { basic, bearer, headerAuthentication } from './authentication.js';
import { StatusError } from './failures.js';
import type { HttpLimits } from './http-transport.js';
import { HttpTransport } from './http-transport.js';

const signal = new AbortController().signal;

describe('an API client', () => {
  const server = testServer();
  const other = testServer();
  const quick = { firstPauseMs: 1, longestPauseMs: 5 };
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

  describe('an API request', () => {
    it('appends path and query to the base URL and returns parsed JSON', async () => {
      server.replies({ body: { ok: 'ä' }, headers: { 'x-a': '1' } });
      const api = client({ headers: { 'x-static': 's' }, auth: bearer('t0ken') });
      const answer = await api.page(signal).get('/users', { query: { q: 'a&b', none: undefined, n: 5 } });
      expect(answer).toMatchObject({ status: 200, body: { ok: 'ä' }, from: `GET ${server.origin}/api/v1/users` });
      expect(answer.headers['x-a']).toBe('1');
      expect(server.asked[0]?.url.href).toBe(`${server.origin}/api/v1/users?q=a%26b&n=5`);
      expect(server.asked[0]?.headers).toMatchObject({ 'x-static': 's', authorization: 'Bearer t0ken' });
    });

    it('posts JSON and forms', async () => {
      server.replies({ body: {} });
      const page = client().page(signal);
      await page.post('/q', { json: { a: 1 } });
      await page.post('/q', { form: { a: '1 2' } });
      expect(server.asked.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
        ['{"a":1}', 'application/json'],
        ['a=1+2', 'application/x-www-form-urlencoded'],
      ]);
    });

    it('returns no body for a 204 and text if requested', async () => {
      server.replies({ status: 204 }, { body: '<a/>' });
      const page = client().page(signal);
      await expect(page.get('/a')).resolves.toMatchObject({ body: undefined });
      await expect(page.get('/a', { as: 'text' })).resolves.toMatchObject({ body: '<a/>' });
    });

    it('preserves integers beyond the safe range', async () => {
      server.replies({ body: '{"id":12345678901234567890,"text":"12345678901234567890","small":9007199254740991}' });
      await expect(get()).resolves.toMatchObject({
        body: { id: '12345678901234567890', text: '12345678901234567890', small: 9007199254740991 },
      });
    });
  });

  describe('the origins that an API client calls', () => {
    it('exclude private networks that are not allowed and public addresses without TLS', async () => {
      const transport = new HttpTransport({ limits: quick });
      open.push(transport);
      const closed = new ApiClient(transport, { baseUrl: server.origin });
      await expect(closed.page(signal).get('/')).rejects.toThrow(
        'the address is not allowed: 127.0.0.1 is not a public address',
      );
      const plain = new HttpTransport({ limits: quick, resolve: async () => ['8.8.8.8'] });
      open.push(plain);
      const unsafe = new ApiClient(plain, { baseUrl: 'http://scim.example' });
      await expect(unsafe.page(signal).get('/')).rejects.toThrow('8.8.8.8 requires https');
    });

    it('exclude redirects and links to another origin, so that credentials stay private', async () => {
      other.replies({ body: {} });
      server.replies({ status: 302, headers: { location: `${other.origin}/api` } });
      await expect(get({ auth: bearer('t0ken') })).rejects.toThrow(
        'a redirect to another origin, which is not followed',
      );
      const page = client().page(signal);
      for (const link of [`${other.origin}/x`, '//evil.example/x', 'http://', server.origin.replace('//', '//a:b@')]) {
        await expect(page.follow(link)).rejects.toThrow('a link to another origin, which is not followed');
      }
      expect(other.asked).toEqual([]);
    });

    it('include a limited number of redirects and links within the origin', async () => {
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

    it('exclude URLs with credentials, with a query or of another scheme', () => {
      for (const baseUrl of ['ftp://a.example', 'https://u:p@a.example', 'https://a.example/?k=v', 'nowhere']) {
        expect(() => client({ baseUrl })).toThrow(SourceError);
      }
    });
  });

  describe('a failing API request', () => {
    it('is retried after a 429, a 5xx and a closed connection', async () => {
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

    it('fails with the response after the last attempt', async () => {
      server.replies({ status: 500, body: { message: 'database down' } });
      await expect(get({}, { attempts: 3 })).rejects.toMatchObject({
        code: 'unavailable',
        message: `GET ${server.origin}/api/v1/users answered 500 (tried 3 times)`,
        said: 'database down',
      });
      server.replies({ body: { list: [] }, cutAfter: 3 });
      await expect(get({}, { attempts: 2 })).rejects.toThrow('the connection closed before the response was complete');
      server.replies({ body: '<html>' });
      await expect(get({}, { attempts: 2 })).rejects.toThrow('the response is not valid JSON (tried 2 times)');
      expect(server.asked).toHaveLength(2);
    });

    it('waits for the Retry-After delay up to the limit per page', async () => {
      server.replies({ status: 429, headers: { 'retry-after': '1' } }, { body: {} });
      const began = performance.now();
      await get();
      expect(performance.now() - began).toBeGreaterThan(990);
      server.replies({ status: 429, headers: { 'retry-after': '3600' } });
      await expect(get()).rejects.toThrow('answered 429: waiting 3601 s more would exceed the limit of 300 s');
      const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
      server.replies({ status: 429, headers: { 'retry-after': inAnHour } });
      await expect(get()).rejects.toThrow('would exceed');
      expect(server.asked).toHaveLength(1);
    });

    it('shares the waiting time of a page among its requests', async () => {
      let calls = 0;
      server.serve(() => (calls++ % 2 === 0 ? { status: 429, headers: { 'retry-after': '0.2' } } : { body: {} }));
      const api = client({}, { waitMs: 500 });
      const page = api.page(signal);
      await page.get('/1');
      await page.get('/2');
      await expect(page.get('/3')).rejects.toThrow('exceed the limit of 0.5 s per page');
    });

    it('is not retried after any other status', async () => {
      server.replies({ status: 400, body: { error: { code: 'resyncRequired', message: 'start over' } } });
      const error = await get().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StatusError);
      expect(error).toMatchObject({
        message: `GET ${server.origin}/api/v1/users answered 400 (resyncRequired)`,
        status: 400,
        reason: 'resyncRequired',
        code: 'refused',
        said: 'resyncRequired: start over',
      });
      expect(server.asked).toHaveLength(1);
    });

    it('fails when the response is too slow, too large or compressed', async () => {
      server.replies({ silent: true });
      await expect(get({}, { exchangeMs: 50, attempts: 2 })).rejects.toThrow('no complete response within 0.05 s');
      server.replies({ body: 'x'.repeat(2_000) });
      await expect(get({}, { bodyBytes: 1_000 })).rejects.toThrow('the response is larger than 1000 bytes');
      expect(server.asked).toHaveLength(1);
      server.replies({ body: 'x', headers: { 'content-encoding': 'br' } });
      await expect(get()).rejects.toThrow('the response is compressed');
    });

    it('throws the abort reason immediately', async () => {
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

  describe('an API with rate limit headers', () => {
    const rate = { remaining: 'x-ratelimit-remaining', reset: 'X-RateLimit-Reset' };
    const headersAt = (remaining: number, inSeconds: number) => ({
      date: 'Sat, 31 Jan 2026 12:00:00 GMT',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Date.parse('2026-01-31T12:00:00Z') / 1000 + inSeconds),
    });

    it('is not called before its reset time by its own clock', async () => {
      server.replies({ body: {}, headers: headersAt(0, 1) }, { body: {}, headers: headersAt(0, 900) });
      const page = client({ rate }).page(signal);
      await page.get('/1');
      const began = performance.now();
      await page.get('/2');
      expect(performance.now() - began).toBeGreaterThan(900);
      await expect(page.get('/3')).rejects.toThrow('/3 is at its rate limit: waiting 900 s more');
      expect(server.asked).toHaveLength(2);
    });

    it('is called while calls remain, and again after a 403 with a time to wait', async () => {
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

  describe('an API with nonstandard errors', () => {
    const throttled = ({ body }: { body: Buffer }) => {
      const pause = /^slow(\d*)/.exec(body.toString())?.[1];
      return pause === undefined ? undefined : Number(pause);
    };

    it('is called again after throttling that it reports with another status', async () => {
      server.replies({ status: 400, body: 'slow' }, { status: 200, body: 'slow1' }, { body: { ok: true } });
      await expect(get({ throttled })).resolves.toMatchObject({ body: { ok: true } });
      server.replies({ status: 400, body: 'slow' });
      await expect(get({ throttled }, { attempts: 2 })).rejects.toThrow('answered 400 (tried 2 times)');
      server.replies({ status: 400, body: 'slow400000' });
      await expect(get({ throttled })).rejects.toThrow('would exceed the limit of 300 s');
      expect(server.asked).toHaveLength(1);
    });

    it('has its error text shown without secrets', async () => {
      server.replies({ status: 400, body: '<Code>Bad</Code> t0ken-of-ours' });
      const explain = (body: string) => ({ code: 'Bad', text: body.slice(-14) });
      await expect(get({ explain, auth: bearer('t0ken-of-ours') })).rejects.toMatchObject({
        message: `GET ${server.origin}/api/v1/users answered 400`,
        said: 'Bad: ***',
      });
    });
  });

  describe('credentials of an API client', () => {
    it('are sent as basic authentication or in a configured header', async () => {
      server.replies({ body: {} });
      await get({ auth: basic('ann', 'pä:ss') });
      await get({ auth: headerAuthentication('x-api-key', 'k3y') });
      expect(server.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ann:pä:ss').toString('base64')}`);
      expect(server.asked[1]?.headers['x-api-key']).toBe('k3y');
      expect(() => headerAuthentication('x-key', 'a\r\nx: y')).toThrow('characters that cannot be sent in a header');
    });

    it('do not appear in errors when the service echoes them', async () => {
      const token = 't0ken-of-ours';
      server.replies({ status: 401, body: { error: `bad ${token}`, error_description: `Bearer ${token} is unknown` } });
      await expect(get({ auth: bearer(token) })).rejects.toMatchObject({
        code: 'auth_failed',
        message: `GET ${server.origin}/api/v1/users answered 401`,
        said: 'bad ***: Bearer *** is unknown',
      });
      expect(server.asked).toHaveLength(1);
    });

    it('do not appear in errors when the service echoes a part of them in a body or header', async () => {
      const token = 'a-token-that-nobody-is-to-see';
      const auth = { auth: bearer(token) };
      const spelled = [token, encodeURIComponent(token), token.slice(0, -1), token.split('').join('\u0001')];
      for (const one of spelled) {
        for (const reply of [
          { status: 400, body: { error: one, message: `${'x'.repeat(290)}${one}` } },
          { status: 403, body: { code: `invalid_grant ${one}` } },
          { body: '{}', headers: { 'content-encoding': encodeURIComponent(one) } },
          { status: 302, headers: { location: `https://${one.replaceAll(/[^a-z-]/g, '')}.example/` } },
          { body: `{"${one}` },
        ] as Reply[]) {
          server.replies(reply);
          const error = (await get(auth, { attempts: 1 }).catch((thrown: unknown) => thrown)) as SourceError;
          expect(error).toBeInstanceOf(SourceError);
          expect(error.message).not.toMatch(/nobody|token/);
          expect(error.said ?? '').not.toMatch(/nobody|token-that/);
        }
      }
    });

    it('do not appear in errors when a link contains them', async () => {
      const token = 'a-token-that-nobody-is-to-see';
      server.replies({ status: 404 });
      const page = client({ auth: bearer(token) }).page(signal);
      const error = (await page
        .follow(`${server.origin}/api/v1/${token}`)
        .catch((thrown: unknown) => thrown)) as SourceError;
      expect(error.message).toBe(`GET ${server.origin} (a link) answered 404`);
      expect(error.said).toBe('/api/v1/***');
    });
  });
});

describe('renewed tokens', () => {
  const api = testServer();
  const issuer = testServer();
  let transport: HttpTransport;

  afterEach(() => transport.close());

  function calls(change: Partial<ClientCredentials> = {}) {
    transport = new HttpTransport({
      allowedCidrs: loopback,
      limits: { firstPauseMs: 1, longestPauseMs: 5, attempts: 3 },
    });
    const client = { tokenUrl: `${issuer.origin}/token`, clientId: 'id:1', clientSecret: 's3cret/+ä', scope: 'read' };
    const auth = clientCredentials(transport, { ...client, ...change });
    return new ApiClient(transport, { baseUrl: api.origin, auth }).page(signal);
  }

  /** Issues tokens `t1`, `t2`, … with this lifetime. */
  function issueFor(seconds: number, extra: object = {}) {
    let issued = 0;
    issuer.serve(() => ({
      body: { access_token: `t${++issued}`, token_type: 'bearer', expires_in: seconds, ...extra },
    }));
  }

  const used = () => api.asked.map(({ headers }) => headers.authorization);

  describe('an OAuth token of client credentials', () => {
    it('is requested once with the secret in the header and serves every request', async () => {
      issueFor(3600);
      api.replies({ body: {} });
      const page = calls();
      await page.get('/1');
      await page.get('/2');
      expect(used()).toEqual(['Bearer t1', 'Bearer t1']);
      expect(issuer.asked).toHaveLength(1);
      expect(issuer.asked[0]).toMatchObject({ method: 'POST', body: 'grant_type=client_credentials&scope=read' });
      const sent = issuer.asked[0]?.headers.authorization?.replace('Basic ', '') ?? '';
      expect(Buffer.from(sent, 'base64').toString()).toBe('id%3A1:s3cret%2F%2B%C3%A4');
    });

    it('is requested by a form if configured, or with a new assertion each time', async () => {
      issueFor(3600);
      api.replies({ body: {} });
      await calls({ send: 'form' }).get('/1');
      expect(Object.fromEntries(new URLSearchParams(issuer.asked[0]?.body))).toMatchObject({
        client_id: 'id:1',
        client_secret: 's3cret/+ä',
      });
      let signed = 0;
      const form = () => ({ assertion: `jwt${++signed}` });
      const auth = oauthToken(transport, { tokenUrl: issuer.origin, form });
      await new ApiClient(transport, { baseUrl: api.origin, auth }).page(signal).get('/1');
      expect(issuer.asked.at(-1)?.body).toBe('assertion=jwt1');
    });

    it('is renewed before it expires', async () => {
      issueFor(0.0001);
      api.replies({ body: {} });
      const page = calls();
      await page.get('/1');
      await page.get('/2');
      expect(used()).toEqual(['Bearer t1', 'Bearer t2']);
    });

    it('is renewed once when it is rejected, also during a read', async () => {
      issueFor(3600);
      api.serve(({ headers }) => (headers.authorization === 'Bearer t1' ? { status: 401 } : { body: {} }));
      await calls().get('/1');
      expect(used()).toEqual(['Bearer t1', 'Bearer t2']);
      api.replies({ status: 401 });
      await expect(calls().get('/1')).rejects.toThrow('/1 answered 401');
      expect(api.asked).toHaveLength(2);
    });

    it('fails the read without exposing the secret when it is not issued', async () => {
      api.replies({ body: {} });
      const refusals: [Reply, string][] = [
        [
          { status: 401, body: { error: 'invalid_client', error_description: 's3cret/+ä is wrong' } },
          'answered 401 (invalid_client)',
        ],
        [{ body: { token: 'x' } }, 'returned no access_token'],
        [{ body: { access_token: 'x', token_type: 'mac' } }, 'returned a token that is not a bearer token'],
        [{ status: 503 }, 'answered 503 (tried 3 times)'],
        [{ status: 307, headers: { location: 'http://evil.example' } }, 'answered 307'],
      ];
      for (const [reply, message] of refusals) {
        issuer.replies(reply);
        await expect(calls().get('/1')).rejects.toThrow(message);
      }
      expect(api.asked).toEqual([]);
    });
  });

  describe('a token of a proprietary token service', () => {
    it('is used until it is rejected when the service reports no lifetime', async () => {
      transport = new HttpTransport({ allowedCidrs: loopback });
      let given = 0;
      issuer.serve(() => ({ body: { token: `own${++given}` } }));
      const auth = renewedToken(new ApiClient(transport, { baseUrl: issuer.origin }), async (ask): Promise<Token> => {
        const { body } = await ask.post('/app/tokens');
        return body as Token;
      });
      api.serve(({ headers }) => (headers.authorization === 'Bearer own1' ? { status: 401 } : { body: {} }));
      const page = new ApiClient(transport, { baseUrl: api.origin, auth }).page(signal);
      await page.get('/1');
      await page.get('/2');
      expect(used()).toEqual(['Bearer own1', 'Bearer own2', 'Bearer own2']);
    });
  });
});
