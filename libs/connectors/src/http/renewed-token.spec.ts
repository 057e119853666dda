import { afterEach, describe, expect, it } from '@jest/globals';
import { loopback, type Reply, testServer } from '../../test/http-server.js';
import { ApiClient } from './api-client.js';
import { HttpTransport } from './http-transport.js';
import { type ClientCredentials, clientCredentials, oauthToken, renewedToken, type Token } from './renewed-token.js';

const api = testServer();
const issuer = testServer();
const signal = new AbortController().signal;
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
  issuer.serve(() => ({ body: { access_token: `t${++issued}`, token_type: 'bearer', expires_in: seconds, ...extra } }));
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
    const form = async () => ({ assertion: `jwt${++signed}` });
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
