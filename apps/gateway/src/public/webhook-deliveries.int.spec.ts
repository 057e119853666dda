import { encodeId, errorStatusesOf, newUuid, requests, routes } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let tenant: string;
let tenantId: string;
let key: { id: string; key: string };
let hook: string;
let hookId: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

beforeEach(async () => {
  tenantId = await gateway.fixture.tenant();
  tenant = `/tenants/${encodeId('tenant', tenantId)}`;
  key = await issue();
  hookId = newUuid();
  hook = `/webhooks/${encodeId('webhook', hookId)}`;
  await insertHook(hookId, tenantId);
});

afterAll(() => gateway?.close());

const issue = async (scopes?: string[], of = tenant) =>
  (await gateway.operator('POST', `${of}/api-keys`, { name: 'subscriber', scopes })).body as typeof key;

const insertHook = (id: string, of: string) =>
  gateway.fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org/hook', '{user.*}')`,
    [id, of],
  );

/** Inserts a delivery of a new event with one failed attempt. */
async function delivery({ status = 'dead', sequence = 1, to = hookId, of = tenantId } = {}): Promise<string> {
  const id = newUuid();
  await gateway.fixture.rows(
    `with event as (
       insert into events (tenant_id, sequence, id, type, occurred_at, details) values ($1, $2, $3, 'user.created', now(), '{}')),
     payload as (insert into event_payloads (tenant_id, sequence, event_id, body) values ($1, $2, $3, '{"id":"evt"}')),
     attempt as (
       insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, outcome, ended_at, status_code, error, duration_ms,
                                     request, response_headers, response_body)
       values ($4, 1, $1, $5, 'rejected', now(), 500, 'status 500', 12,
               '{"url": "https://x.org/hook", "headers": {"webhook-id": "evt"}}', '{"retry-after": "7"}', 'out of disk'))
     insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry, attempts, tries)
     values ($4, $1, $5, $2, 'user.created', $6, true, 1, 1)`,
    [of, sequence, newUuid(), id, to, status],
  );
  return encodeId('delivery', id);
}

/** Calls a route with a key and validates the response with the route's schema. */
async function call(method: string, path: string, { body, as = key.key }: { body?: unknown; as?: string } = {}) {
  const answer = await fetch(`${gateway.url}/v1${path}`, {
    method,
    headers: { 'x-api-key': as, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const reply = (await answer.json()) as Body;
  const pattern = path.replace(/\?.*/, '').replaceAll(/\/(whk|dlv|rpl)_\w+/g, '/{}');
  const route = routes.find(
    (each) => each.method === method && each.path.replaceAll(/\{\w+\}/g, '{}') === `/v1${pattern}`,
  );
  if (!route) throw new Error(`no route ${method} ${path}`);
  if (answer.status < 400) expect(route.success.schema?.safeParse(reply).error?.issues).toBeUndefined();
  else expect(errorStatusesOf(route)).toContain(answer.status);
  return { status: answer.status, body: reply, retryAfter: answer.headers.get('retry-after') };
}

const disabledByService = () =>
  gateway.fixture.rows(
    `with off as (update webhooks set active = false where id = $1)
     insert into webhook_endpoints (webhook_id, tenant_id, failures, disabled_at, disabled_reason)
     values ($1, $2, 3, now(), 'the receiver answered 410 Gone')`,
    [hookId, tenantId],
  );

describe('a webhook shows its subscriber', () => {
  it('its health, and its last error while it is active', async () => {
    const failed = await delivery();
    const { status, body } = await call('GET', hook);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      active: true,
      dead: { count: 1, exact: true },
      last_error: { delivery_id: failed, outcome: 'rejected', status_code: 500, error: 'status 500' },
      statistics: { attempts: 1, success_rate: 0 },
    });
    expect(body).not.toHaveProperty('inactive');
    expect((await gateway.operator('GET', `${tenant}${hook}`)).body).toMatchObject({ last_error: body.last_error });
  });

  it('that the service disabled it, when and why', async () => {
    await disabledByService();
    expect((await call('GET', hook)).body).toMatchObject({
      active: false,
      inactive: { by: 'service', at: expect.any(String), reason: 'the receiver answered 410 Gone' },
    });
  });

  it('which key deactivated it, also after a second request, until it is active again', async () => {
    await call('PATCH', hook, { body: { active: false } });
    await call('PATCH', hook, { body: { active: false }, as: (await issue()).key });
    expect((await call('GET', hook)).body.inactive).toEqual({
      by: 'client',
      key_id: key.id,
      at: expect.any(String),
      reason: 'a request set active to false',
    });
    await call('PATCH', hook, { body: { active: true } });
    expect((await call('GET', hook)).body).not.toHaveProperty('inactive');
  });

  it('that the service disabled it, even if a client then deactivates it', async () => {
    await disabledByService();
    await call('PATCH', hook, { body: { active: false } });
    expect((await call('GET', hook)).body.inactive).toMatchObject({ by: 'service' });
  });
});

describe('the deliveries of a webhook', () => {
  it('are listed in pages, with filters, without those of other webhooks', async () => {
    const other = newUuid();
    await insertHook(other, tenantId);
    await delivery({ sequence: 1, to: other });
    const [first, second] = [await delivery({ sequence: 2 }), await delivery({ sequence: 3, status: 'delivered' })];
    const ids = async (query: string) =>
      (await call('GET', `${hook}/deliveries?${query}`)).body.data.map((each: Body) => each.id);
    expect(await ids('cursor=')).toEqual([second, first]);
    expect(await ids('status=dead')).toEqual([first]);
    expect(await ids('event_type=user.updated')).toEqual([]);
    expect(await ids('until=2020-01-01T00:00:00Z')).toEqual([]);
    const page = (await call('GET', `${hook}/deliveries?limit=1`)).body;
    expect(await ids(`limit=1&cursor=${page.next_cursor}`)).toEqual([first]);
    expect((await call('GET', `${hook}/deliveries?status=lost`)).status).toBe(400);
  });

  it('show each attempt with its request, the response and the error', async () => {
    const { body } = await call('GET', `${hook}/deliveries/${await delivery()}`);
    expect(body).toMatchObject({
      status: 'dead',
      body: '{"id":"evt"}',
      attempts: [
        {
          number: 1,
          outcome: 'rejected',
          status_code: 500,
          error: 'status 500',
          duration_ms: 12,
          request: { url: 'https://x.org/hook', headers: { 'webhook-id': 'evt' } },
          response_headers: { 'retry-after': '7' },
          response_body: 'out of disk',
        },
      ],
    });
  });

  it('show the event only to a key that may read events', async () => {
    const path = `${hook}/deliveries/${await delivery()}`;
    const narrow = await call('GET', path, { as: (await issue(['webhooks:read'])).key });
    expect(narrow.status).toBe(200);
    expect(narrow.body).not.toHaveProperty('body');
    const wide = await call('GET', path, { as: (await issue(['webhooks:read', 'events:read'])).key });
    expect(wide.body.body).toBe('{"id":"evt"}');
  });
});

describe('a subscriber', () => {
  it('has one delivery or all dead ones sent again, and follows the progress', async () => {
    const id = await delivery();
    const resent = await call('POST', `${hook}/deliveries/${id}/resend`);
    expect(resent).toMatchObject({ status: 202, body: { kind: 'resend', delivery_id: id, requested_by: key.id } });
    expect((await call('POST', `${hook}/deliveries/${id}/resend`, { body: {} })).body).toEqual(resent.body);
    const requeued = await call('POST', `${hook}/requeue`);
    expect(requeued).toMatchObject({ status: 202, body: { kind: 'requeue', status: 'queued', requested_by: key.id } });
    expect((await call('GET', `${hook}/replays/${requeued.body.replay_id}`)).body).toEqual(requeued.body);
    expect((await call('POST', `${hook}/requeue`, { body: { by: 'eve' } })).status).toBe(400);
  });

  it('receives 429 while the maximum number of replays waits, except for an equal one', async () => {
    await gateway.fixture.rows(
      `insert into webhook_replays (id, tenant_id, webhook_id, kind, filter, requested_by)
       select gen_random_uuid(), $1, $2, 'resend', jsonb_build_object('delivery_id', gen_random_uuid()), 'test'
         from generate_series(2, $3::int)`,
      [tenantId, hookId, requests.maxQueuedReplays],
    );
    const [first, second] = [await delivery({ sequence: 1 }), await delivery({ sequence: 2 })];
    const resend = (id: string) => call('POST', `${hook}/deliveries/${id}/resend`);
    expect((await resend(first)).status).toBe(202);
    expect(await resend(second)).toMatchObject({
      status: 429,
      retryAfter: '5',
      body: { error: expect.stringContaining('100') },
    });
    expect((await resend(first)).status).toBe(202);
    expect((await gateway.operator('POST', `${tenant}/deliveries/${second}/resend`)).status).toBe(202);
  });

  it('tests a webhook once every 5 seconds', async () => {
    expect((await call('POST', `${hook}/test`, { body: { message: 'hello' } })).status).toBe(202);
    expect(await call('POST', `${hook}/test`)).toMatchObject({ status: 429, retryAfter: '5' });
    await gateway.fixture.rows(`update webhooks set tested_at = now() - interval '5 s' where id = $1`, [hookId]);
    expect((await call('POST', `${hook}/test`)).status).toBe(202);
    const events = await gateway.fixture.rows('select 1 from events where tenant_id = $1', [tenantId]);
    expect(events).toHaveLength(2);
  });

  it('receives 400 for an inactive webhook', async () => {
    const id = await delivery();
    await call('PATCH', hook, { body: { active: false } });
    for (const path of ['/test', '/requeue', `/deliveries/${id}/resend`]) {
      expect(await call('POST', `${hook}${path}`)).toMatchObject({
        status: 400,
        body: { error: 'the webhook is inactive: activate it first' },
      });
    }
  });
});

describe('webhooks and deliveries of another tenant or another webhook', () => {
  it('do not exist for a key', async () => {
    const own = await delivery();
    const [otherTenant, otherHook, sibling] = [await gateway.fixture.tenant(), newUuid(), newUuid()];
    await insertHook(otherHook, otherTenant);
    await insertHook(sibling, tenantId);
    const theirs = await delivery({ to: otherHook, of: otherTenant });
    const { key: otherKey } = await issue(undefined, `/tenants/${encodeId('tenant', otherTenant)}`);
    const their = `/webhooks/${encodeId('webhook', otherHook)}`;
    const replay = (await call('POST', `${their}/requeue`, { as: otherKey })).body.replay_id;
    expect(replay).toBeDefined();
    const siblings = `/webhooks/${encodeId('webhook', sibling)}`;
    const foreign: [string, string][] = [
      ['GET', their],
      ['POST', `${their}/test`],
      ['POST', `${their}/requeue`],
      ['GET', `${their}/deliveries`],
      ['GET', `${their}/replays/${replay}`],
      ['GET', `${hook}/replays/${replay}`],
      ...[`${their}/deliveries/${theirs}`, `${hook}/deliveries/${theirs}`, `${siblings}/deliveries/${own}`].flatMap(
        (path): [string, string][] => [
          ['GET', path],
          ['POST', `${path}/resend`],
        ],
      ),
    ];
    for (const [method, path] of foreign) {
      expect({ method, path, ...(await call(method, path)) }).toMatchObject({
        method,
        path,
        status: 404,
        body: { error: 'not found' },
      });
    }
  });
});
