import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { Identity, UserUpdatedEvent } from './generated/api.js';
import { IdsyncClient, IdsyncError } from './index.js';

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };
interface Received {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> | undefined;
}

let server: Server | undefined;
const received: Received[] = [];

afterEach(async () => {
  received.length = 0;
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

/** Starts a server that answers by `answer`, and returns a client of it. */
async function clientOf(answer: (request: Received, count: number) => Answer, retries = 2): Promise<IdsyncClient> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url = '', headers } = request;
    const seen = { method, url: new URL(url, 'http://gateway'), headers, body: text ? JSON.parse(text) : undefined };
    received.push(seen);
    const { status = 200, headers: more, body } = answer(seen, received.length);
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...more });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return new IdsyncClient({ baseUrl: `http://127.0.0.1:${port}/`, apiKey: 'idk_test', retries });
}

const event = (sequence: number, type = 'user.updated') => ({ id: `evt_${sequence}`, type, sequence, data: {} });

describe('the client', () => {
  it('reads all pages of a list with cursors, and passes the filters on', async () => {
    const idsync = await clientOf(({ url }) => ({
      body: url.searchParams.get('cursor')
        ? { data: [{ id: 'idn_3' }], total: 3, limit: 2, offset: 0 }
        : { data: [{ id: 'idn_1' }, { id: 'idn_2' }], total: 3, limit: 2, offset: 0, next_cursor: 'next' },
    }));
    const ids = [];
    for await (const identity of idsync.identities.list({ limit: 2, status: 'active' })) ids.push(identity.id);
    expect(ids).toEqual(['idn_1', 'idn_2', 'idn_3']);
    expect(received.map(({ url }) => url.search)).toEqual([
      '?limit=2&status=active&cursor=',
      '?limit=2&status=active&cursor=next',
    ]);
  });

  it('lists accounts, machine identities, groups and their members', async () => {
    const idsync = await clientOf(() => ({ body: { data: [{ id: 'x' }], total: 1, limit: 50, offset: 0 } }));
    for (const list of [
      idsync.accounts.list({ matched: false }),
      idsync.machineIdentities.list({ status: 'orphaned' }),
      idsync.groups.list({ source: 'con_1' }),
      idsync.groups.members('grp_1'),
    ])
      for await (const { id } of list) expect(id).toBe('x');
    await Promise.all([
      idsync.accounts.get('acc_1'),
      idsync.machineIdentities.get('mid_1'),
      idsync.groups.get('grp_1'),
    ]);
    expect(received.map(({ url }) => `${url.pathname}${url.search}`)).toEqual([
      '/v1/accounts?matched=false&cursor=',
      '/v1/machine-identities?status=orphaned&cursor=',
      '/v1/groups?source=con_1&cursor=',
      '/v1/groups/grp_1/members?cursor=',
      '/v1/accounts/acc_1',
      '/v1/machine-identities/mid_1',
      '/v1/groups/grp_1',
    ]);
  });

  it('lists all connectors', async () => {
    const idsync = await clientOf((_request, count) => ({
      body: { data: [{ id: `con_${count}` }], total: 2, limit: 200, offset: count - 1 },
    }));
    expect((await idsync.connectors.list()).map(({ id }) => id)).toEqual(['con_1', 'con_2']);
    expect(received.map(({ url }) => url.searchParams.get('offset'))).toEqual(['0', '1']);
  });

  it('returns the position of the newest event', async () => {
    const idsync = await clientOf(() => ({ body: { data: [], next_after: 7, has_more: false, limit: 50 } }));
    expect(await idsync.newestPosition()).toBe(7);
    expect(received.map(({ url }) => url.search)).toEqual(['?after=latest']);
  });

  it('sends the key, and asks for strict handling of parameters', async () => {
    const idsync = await clientOf(() => ({ body: { id: 'usr_1' } }));
    await idsync.users.get('usr_1');
    expect(received[0]?.headers).toMatchObject({ 'x-api-key': 'idk_test', prefer: 'handling=strict' });
  });

  it('throws the error of a refused request with its status and request id, and does not repeat it', async () => {
    const idsync = await clientOf(() => ({ status: 404, body: { error: 'not found' } }));
    const failure = await idsync.identities.get('idn_0').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IdsyncError);
    expect(failure).toMatchObject({ status: 404, message: 'not found', requestId: 'req-1' });
    expect(received).toHaveLength(1);
  });

  it('repeats a read after 503 when Retry-After says so', async () => {
    const idsync = await clientOf((_request, count) =>
      count < 3
        ? { status: 503, headers: { 'retry-after': '0' }, body: { error: 'later' } }
        : { body: { id: 'usr_1' } },
    );
    expect(await idsync.users.get('usr_1')).toEqual({ id: 'usr_1' });
    expect(received).toHaveLength(3);
  });

  it('gives up after the last attempt with the error of the service', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: { error: 'too many requests' } };
    const idsync = await clientOf(() => busy, 1);
    await expect(idsync.users.get('usr_1')).rejects.toMatchObject({ status: 429, message: 'too many requests' });
    expect(received).toHaveLength(2);
  });

  it('does not create a webhook a second time after 503, but after 429, which had no effect', async () => {
    const created = { status: 201, body: { id: 'whk_1', signing_secret: 'whsec_x' } };
    const answers = [503, 429].map((status) => ({ status, headers: { 'retry-after': '0' }, body: { error: 'busy' } }));
    const idsync = await clientOf((_request, count) => answers[count - 1] ?? created);
    const body = { callback_url: 'https://example.com', events: ['*'] };
    await expect(idsync.webhooks.create(body)).rejects.toMatchObject({ status: 503 });
    expect(await idsync.webhooks.create(body)).toEqual(created.body);
    expect(received).toHaveLength(3);
  });

  it('repeats a trigger with the same idempotency key', async () => {
    const idsync = await clientOf((_request, count) =>
      count === 1
        ? { status: 503, headers: { 'retry-after': '0' }, body: { error: 'busy' } }
        : { status: 202, body: { job_id: 'job_1', status: 'queued' } },
    );
    expect(await idsync.sync.trigger({ connector_id: 'con_1' })).toEqual({ job_id: 'job_1', status: 'queued' });
    const [first, second] = received.map(({ body }) => body?.idempotency_key);
    expect(first).toEqual(expect.stringMatching(/^[0-9a-f-]{36}$/));
    expect(second).toBe(first);
  });

  it('reads the events to the newest one, from a position', async () => {
    const idsync = await clientOf(({ url }) => {
      const after = Number(url.searchParams.get('after'));
      const data = after === 4 ? [event(5), event(6)] : [];
      return { body: { data, next_after: after === 4 ? 6 : 9, has_more: after === 4, limit: 2 } };
    });
    const feed = idsync.events({ after: 4, types: ['user.*'] });
    const seen = [];
    for await (const { sequence } of feed) seen.push(sequence);
    expect(seen).toEqual([5, 6]);
    expect(feed.position).toBe(9);
    expect(received.map(({ url }) => url.search)).toEqual(['?types=user.*&after=4', '?types=user.*&after=6']);
  });

  it('follows the events until its signal is aborted, without losing the one that it stopped at', async () => {
    const idsync = await clientOf(({ url }, count) => {
      const after = Number(url.searchParams.get('after'));
      const data = count > 1 ? [event(after + 1)] : [];
      return { body: { data, next_after: after + data.length, has_more: false, limit: 1 } };
    });
    const stop = new AbortController();
    const feed = idsync.events();
    const seen = [];
    for await (const { sequence } of feed.follow({ everyMs: 1, signal: stop.signal })) {
      seen.push(sequence);
      if (sequence === 3) stop.abort();
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(feed.position).toBe(3);
  });

  it('reads the history and past states of an identity, and lists users', async () => {
    const idsync = await clientOf(({ url }) => ({
      body: url.pathname.endsWith('idn_1')
        ? { id: 'idn_1' }
        : { data: [{ id: 'one' }], total: 1, limit: 50, offset: 0 },
    }));
    const past = { at: '2026-01-31T12:00:00Z' };
    expect(await idsync.identities.get('idn_1', past)).toEqual({ id: 'idn_1' });
    for await (const one of idsync.identities.history('idn_1', { limit: 50 })) expect(one).toEqual({ id: 'one' });
    for await (const one of idsync.users.list({ email: 'a@example.com' })) expect(one).toEqual({ id: 'one' });
    expect(received.map(({ url }) => url.pathname + url.search)).toEqual([
      '/v1/identities/idn_1?at=2026-01-31T12%3A00%3A00Z',
      '/v1/identities/idn_1/history?limit=50&cursor=',
      '/v1/users?email=a%40example.com&cursor=',
    ]);
  });

  it('lists, changes, rotates and deletes webhooks', async () => {
    const idsync = await clientOf(({ method, url }) => {
      if (method === 'DELETE') return { status: 204 };
      if (url.pathname.endsWith('rotate-secret')) return { body: { signing_secret: 'whsec_new' } };
      return { body: method === 'GET' ? { data: [{ id: 'whk_1' }] } : { id: 'whk_1', active: false } };
    });
    expect(await idsync.webhooks.list()).toEqual([{ id: 'whk_1' }]);
    expect(await idsync.webhooks.update('whk_1', { active: false })).toEqual({ id: 'whk_1', active: false });
    expect(await idsync.webhooks.rotateSecret('whk_1', { overlap_hours: 1 })).toBe('whsec_new');
    expect(await idsync.webhooks.rotateSecret('whk_1')).toBe('whsec_new');
    await idsync.webhooks.delete('whk_1');
    expect(received.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
      ['GET', '/v1/webhooks', undefined],
      ['PATCH', '/v1/webhooks/whk_1', { active: false }],
      ['POST', '/v1/webhooks/whk_1/rotate-secret', { overlap_hours: 1 }],
      ['POST', '/v1/webhooks/whk_1/rotate-secret', {}],
      ['DELETE', '/v1/webhooks/whk_1', undefined],
    ]);
  });

  it('reads whole lists, and the present identity, without any filter', async () => {
    const idsync = await clientOf(({ url }) => ({
      body: url.pathname.endsWith('idn_1') ? { id: 'idn_1' } : { data: [], total: 0, limit: 50, offset: 0 },
    }));
    expect(await idsync.identities.get('idn_1')).toEqual({ id: 'idn_1' });
    const lists = [idsync.identities.list(), idsync.identities.history('idn_1'), idsync.users.list()];
    for (const list of lists) for await (const one of list) throw new Error(`unexpected ${one.id}`);
    expect(received.map(({ url }) => url.search)).toEqual(['', '?cursor=', '?cursor=', '?cursor=']);
  });

  it('repeats a read after a short pause when the service does not say how long', async () => {
    const idsync = await clientOf((_request, count) =>
      count === 1 ? { status: 503, body: { error: 'later' } } : { body: { job_id: 'job_1', status: 'failed' } },
    );
    expect(await idsync.sync.wait('job_1')).toMatchObject({ status: 'failed' });
    expect(received).toHaveLength(2);
  });

  it('finds out why a delivery failed, and has it sent again', async () => {
    const idsync = await clientOf(({ method, url }) => {
      if (url.pathname.endsWith('/deliveries')) return { body: { data: [{ id: 'dlv_1' }] } };
      if (url.pathname.endsWith('/signing-keys') && method === 'GET') return { body: { data: [{ id: 'key_1' }] } };
      return { status: method === 'POST' ? 202 : 200, body: { id: url.pathname } };
    });
    const { webhooks } = idsync;
    await webhooks.get('whk_1');
    await webhooks.test('whk_1');
    for await (const { id } of webhooks.deliveries('whk_1', { status: 'dead' })) expect(id).toBe('dlv_1');
    for await (const { id } of webhooks.deliveries('whk_1')) expect(id).toBe('dlv_1');
    await webhooks.delivery('whk_1', 'dlv_1');
    await webhooks.resend('whk_1', 'dlv_1');
    await webhooks.requeue('whk_1');
    await webhooks.replay('whk_1', 'rpl_1');
    await webhooks.createSigningKey('whk_1');
    expect(await webhooks.signingKeys('whk_1')).toEqual([{ id: 'key_1' }]);
    expect(received.map(({ method, url }) => `${method} ${url.pathname.slice('/v1/webhooks/whk_1'.length)}`)).toEqual([
      'GET ',
      'POST /test',
      'GET /deliveries',
      'GET /deliveries',
      'GET /deliveries/dlv_1',
      'POST /deliveries/dlv_1/resend',
      'POST /requeue',
      'GET /replays/rpl_1',
      'POST /signing-keys',
      'GET /signing-keys',
    ]);
  });

  it('reports a refusal by something in front of the gateway with its status', async () => {
    const idsync = await clientOf(() => ({ status: 413, body: 'too large', headers: { 'x-request-id': '' } }));
    await expect(idsync.users.get('usr_1')).rejects.toMatchObject({ message: 'unexpected response with status 413' });
  });

  it('repeats a read whose connection was lost, and gives up after the last attempt', async () => {
    let attempts = 0;
    const lost = () => {
      attempts += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    const options = { baseUrl: 'http://gateway', apiKey: 'idk_test', fetch: lost, retries: 1 };
    await expect(new IdsyncClient(options).users.get('usr_1')).rejects.toThrow('fetch failed');
    expect(attempts).toBe(2);
    await expect(new IdsyncClient(options).webhooks.create({ callback_url: 'x', events: ['*'] })).rejects.toThrow();
    expect(attempts).toBe(3);
  });

  it('ends a wait for later events when its signal is aborted', async () => {
    const idsync = await clientOf(() => ({ body: { data: [], next_after: 0, has_more: false, limit: 1 } }));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    for await (const one of idsync.events().follow({ signal: stop.signal })) throw new Error(`unexpected ${one.id}`);
    expect(received.map(({ url }) => url.search)).toEqual(['?after=0']);
  });

  it('waits for the end of a job', async () => {
    const states = ['queued', 'running', 'completed'];
    const idsync = await clientOf((_request, count) => ({ body: { job_id: 'job_1', status: states[count - 1] } }));
    expect(await idsync.sync.wait('job_1', { everyMs: 1 })).toMatchObject({ status: 'completed' });
  });

  it('stops waiting for a retry when its request is aborted', async () => {
    const stop = new AbortController();
    const idsync = await clientOf(() => {
      setImmediate(() => stop.abort());
      return { status: 503, headers: { 'retry-after': '60' }, body: { error: 'later' } };
    });
    const request = idsync.http.GET('/v1/users/{id}', { params: { path: { id: 'usr_1' } }, signal: stop.signal });
    await expect(request).rejects.toMatchObject({ name: 'AbortError' });
    expect(received).toHaveLength(1);
  });

  it('knows the type of every field, and of an event after a look at its type', () => {
    expectTypeOf<Identity['status']>().toEqualTypeOf<'pending' | 'active' | 'suspended' | 'inactive' | 'deleted'>();
    expectTypeOf<Identity['users'][number]['departments']>().toEqualTypeOf<string[]>();
    expectTypeOf<IdsyncClient['identities']['get']>().returns.resolves.toEqualTypeOf<Identity>();
    expectTypeOf<UserUpdatedEvent['type']>().toEqualTypeOf<'user.updated'>();
    expectTypeOf<UserUpdatedEvent['data']['email']>().toEqualTypeOf<string | undefined>();
    type Change = NonNullable<UserUpdatedEvent['data']['changes']>[number];
    expectTypeOf<Change['from']>().toEqualTypeOf<string | string[] | undefined>();
    type Feed = ReturnType<IdsyncClient['events']>;
    type FeedEvent = Feed extends AsyncIterable<infer One> ? One : never;
    expectTypeOf<Extract<FeedEvent, { type: 'user.updated' }>>().toEqualTypeOf<UserUpdatedEvent>();
    // @ts-expect-error a filter that the list does not have
    expect(() => new IdsyncClient({ baseUrl: 'http://x', apiKey: 'k' }).users.list({ colour: 'red' })).not.toThrow();
  });
});
