import { createPublicKey } from 'node:crypto';
import { encodeId, errorStatusesOf, newUuid, requests, routes } from '@idsync/contracts';
import { decrypt } from '@idsync/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { adminToken, gatewayConfig } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ WEBHOOK_ALLOW_CIDRS: ['10.0.0.0/8'] });
});

afterAll(() => gateway?.close());

describe('secrets and URLs of webhooks:', () => {
  const url = 'https://example.com/hook';

  let tenantId: string;
  let key: string;

  type Reply = Record<string, string>;

  beforeAll(async () => {
    tenantId = (await operator('/tenants', { name: 'Test' })).body.id ?? '';
    key = (await operator(`/tenants/${tenantId}/api-keys`, { name: 'test' })).body.key ?? '';
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
  const subscribe = (callbackUrl: string) =>
    asTenant('POST', '/webhooks', { callback_url: callbackUrl, events: ['*'] });

  /** Returns the hours until each secret of the newest webhook expires, oldest first. */
  async function hoursLeft(): Promise<(number | null)[]> {
    const secrets = await gateway.fixture.rows<{ hours: number | null }>(
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

    it.each(asWhom)(
      'by %s with invalid or unknown fields is rejected with 400 and revokes nothing',
      async (_who, of) => {
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
      },
    );

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
      expect(
        await gateway.fixture.rows('select callback_url from webhooks where callback_url = $1 limit 1', [shown]),
      ).toHaveLength(1);
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
  });
});

describe('a webhook', () => {
  const plain = { callback_url: 'https://example.com/hook', events: ['*'] };
  const filter = {
    and: [
      { field: 'type', prefix: 'user.' },
      { field: 'data.status', equals: 'active' },
    ],
  };

  let tenantId: string;
  let key: string;

  beforeAll(async () => {
    tenantId = await gateway.fixture.tenant();
    key = (await gateway.operator('POST', `/tenants/${encodeId('tenant', tenantId)}/api-keys`, { name: 'x' })).body.key;
  });

  async function call(method: string, path = '', body?: object): Promise<{ status: number; body: Body }> {
    const answer = await fetch(`${gateway.url}/v1/webhooks${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  it('shows its filter, its form of payload and the names of its headers wherever it is shown', async () => {
    const settings = { filter, payload: 'thin' };
    const created = await call('POST', '', { ...plain, ...settings, headers: { Authorization: 'Bearer s3cret' } });
    const shown = { ...settings, header_names: ['authorization'] };
    expect(created).toMatchObject({ status: 201, body: shown });
    const path = `/${created.body.id}`;
    const listed = (await call('GET')).body.data.find(({ id }: Body) => id === created.body.id);
    const patched = await call('PATCH', path, { events: ['user.*'] });
    for (const body of [listed, patched.body, (await call('GET', path)).body]) expect(body).toMatchObject(shown);
    expect(JSON.stringify([created, listed, patched, await call('GET', path)])).not.toContain('s3cret');
  });

  it('without these settings shows none of them, also after they were removed', async () => {
    const { id } = (await call('POST', '', { ...plain, filter, payload: 'thin', headers: { 'x-team': 'a' } })).body;
    const { body } = await call('PATCH', `/${id}`, { filter: null, payload: 'full', headers: {} });
    const { body: never } = await call('POST', '', plain);
    for (const each of [body, never]) {
      for (const name of ['filter', 'payload', 'header_names', 'headers']) expect(each).not.toHaveProperty(name);
    }
  });

  it('stores the values of its headers encrypted for its tenant, until they are replaced', async () => {
    const { id } = (await call('POST', '', { ...plain, headers: { 'X-Team': 'one' } })).body;
    const stored = async () => {
      const rows = await gateway.fixture.rows<{ ciphertext: Buffer }>(
        'select h.ciphertext from webhook_headers h join webhooks w on w.id = h.webhook_id where w.id = (select id from webhooks order by created_at desc, id desc limit 1)',
      );
      const { ENCRYPTION_KEY: encryptionKey } = gatewayConfig(gateway.database.url);
      return rows.map(({ ciphertext }) => JSON.parse(decrypt(ciphertext, [encryptionKey], tenantId)));
    };
    expect(await stored()).toEqual([{ 'x-team': 'one' }]);
    await call('PATCH', `/${id}`, { active: false });
    expect(await stored()).toEqual([{ 'x-team': 'one' }]);
    await call('PATCH', `/${id}`, { headers: { authorization: 'Basic x' } });
    expect(await stored()).toEqual([{ authorization: 'Basic x' }]);
    await call('PATCH', `/${id}`, { headers: {} });
    expect(await stored()).toEqual([]);
  });

  it('does not send the stored values of its headers to another server', async () => {
    const { id } = (await call('POST', '', { ...plain, headers: { authorization: 'Bearer s3cret' } })).body;
    for (const callback_url of ['https://other.example/hook', 'http://example.com/hook', 'https://example.com:444/'])
      expect(await call('PATCH', `/${id}`, { callback_url })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('headers must be given again') },
      });
    expect((await call('GET', `/${id}`)).body.callback_url).toBe(plain.callback_url);
    for (const change of [
      { callback_url: 'https://example.com/other' },
      { callback_url: 'https://other.example/', headers: { authorization: 'Bearer new' } },
      { callback_url: 'https://third.example/', headers: {} },
      { callback_url: 'https://fourth.example/' },
    ]) {
      const { headers: _, ...shown } = { headers: {}, ...change };
      expect(await call('PATCH', `/${id}`, change)).toMatchObject({ status: 200, body: shown });
    }
  });

  it.each<[object, string]>([
    [{ filter: { field: 'tenant_id', equals: 'x' } }, 'filter'],
    [{ filter: { field: 'data.status', matches: '.*' } }, 'filter'],
    [{ payload: 'small' }, 'payload must be one of full, thin'],
    [{ headers: { 'webhook-signature': 'v1,x' } }, 'headers must not contain headers of the connection'],
    [{ headers: { 'x-team': 'a\nb' } }, 'headers.x-team must have 1 to 1024 printable ASCII characters'],
  ])('is refused with %j', async (settings, error) => {
    const { id } = (await call('POST', '', plain)).body;
    for (const refused of [
      await call('POST', '', { ...plain, ...settings }),
      await call('PATCH', `/${id}`, settings),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
    }
  });
});

describe('deliveries of webhooks:', () => {
  let tenant: string;
  let tenantId: string;
  let key: { id: string; key: string };
  let hook: string;
  let hookId: string;

  beforeEach(async () => {
    tenantId = await gateway.fixture.tenant();
    tenant = `/tenants/${encodeId('tenant', tenantId)}`;
    key = await issue();
    hookId = newUuid();
    hook = `/webhooks/${encodeId('webhook', hookId)}`;
    await insertHook(hookId, tenantId);
  });

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
               '{"url": "https://x.org/hook", "headers": {"webhook-id": "evt"}}', '{"retry-after": "7"}', 'out of disk')),
     hour as (
       insert into webhook_hours (tenant_id, hour, webhook_id, outcome, attempts)
       values ($1, date_trunc('hour', now()), $5, 'rejected', 1) on conflict do nothing)
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
      expect(requeued).toMatchObject({
        status: 202,
        body: { kind: 'requeue', status: 'queued', requested_by: key.id },
      });
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
});

describe('a key pair of a webhook', () => {
  let tenantId: string;
  let webhookId: string;
  let key: string;

  beforeEach(async () => {
    tenantId = await gateway.fixture.tenant();
    webhookId = newUuid();
    await gateway.fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org/hook', '{*}')`,
      [webhookId, tenantId],
    );
    key = (await gateway.operator('POST', `/tenants/${encodeId('tenant', tenantId)}/api-keys`, { name: 'x' })).body.key;
  });

  async function call(
    method: string,
    body?: object,
    id = webhookId,
    as = key,
  ): Promise<{ status: number; body: Body }> {
    const answer = await fetch(`${gateway.url}/v1/webhooks/${encodeId('webhook', id)}/signing-keys`, {
      method,
      headers: { 'x-api-key': as, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  it('is created with a public key, while the private key is stored encrypted for its tenant', async () => {
    const { status, body } = await call('POST');
    expect(status).toBe(201);
    expect(body).toEqual({
      public_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.any(String),
    });
    const rows = await gateway.fixture.rows<{ ciphertext: Buffer }>('select ciphertext from webhook_signing_keys');
    const ciphertext = rows[0]?.ciphertext ?? Buffer.alloc(0);
    const { ENCRYPTION_KEY: encryptionKey } = gatewayConfig(gateway.database.url);
    const privateBytes = Buffer.from(decrypt(ciphertext, [encryptionKey], tenantId).replace('whsk_', ''), 'base64');
    const [d, x] = [privateBytes.subarray(0, 32), privateBytes.subarray(32)].map((part) => part.toString('base64url'));
    const derived = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } }).export({
      format: 'jwk',
    });
    expect(body.public_key).toBe(`whpk_${Buffer.from(derived.x ?? '', 'base64url').toString('base64')}`);
    expect(() => decrypt(ciphertext, [encryptionKey], newUuid())).toThrow();
  });

  it('is rotated with an overlap: both public keys are listed, the newest first, at most five', async () => {
    const first = (await call('POST')).body;
    const second = (await call('POST', { overlap_hours: 1 })).body;
    const { body } = await call('GET');
    expect(body).toEqual({ data: [second, { ...first, expires_at: expect.any(String) }], total: 2 });
    expect(Date.parse(body.data[0].created_at)).toBeLessThanOrEqual(Date.now());
    for (let more = 0; more < 5; more += 1) await call('POST');
    expect((await call('GET')).body.total).toBe(5);
  });

  it('is revoked at once by a rotation with an overlap of 0', async () => {
    await call('POST');
    const { body } = await call('POST', { overlap_hours: 0 });
    expect((await call('GET')).body).toEqual({ data: [body], total: 1 });
    expect((await call('POST', { overlap_hours: -1 })).status).toBe(400);
    expect((await call('POST', { overlap: 0 })).status).toBe(400);
  });

  it('does not exist for another tenant, and is deleted with its webhook', async () => {
    await call('POST');
    const other = encodeId('tenant', await gateway.fixture.tenant());
    const { key: stranger } = (await gateway.operator('POST', `/tenants/${other}/api-keys`, { name: 'x' })).body;
    for (const method of ['GET', 'POST']) {
      expect((await call(method, undefined, webhookId, stranger)).status).toBe(404);
      expect((await call(method, undefined, newUuid())).status).toBe(404);
    }
    await gateway.fixture.rows('delete from webhooks where id = $1', [webhookId]);
    expect(await gateway.fixture.rows('select 1 from webhook_signing_keys where webhook_id = $1', [webhookId])).toEqual(
      [],
    );
  });
});
