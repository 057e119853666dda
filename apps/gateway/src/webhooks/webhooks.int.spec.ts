import { decodeId, encodeId, errorStatusesOf, newUuid, routes } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

afterAll(() => gateway?.close());

describe('settings of webhooks:', () => {
  const settings = { callback_url: 'https://example.com/hook', events: ['user.*'] };
  const headers = { authorization: 'Bearer s3cret' };

  let path: string;

  beforeEach(async () => {
    path = `/tenants/${encodeId('tenant', await gateway.fixture.tenant())}`;
  });

  const call = (method: string, below = '', body?: object) =>
    gateway.operator(method, `${path}/webhooks${below}`, body);
  const audited = async (action: string): Promise<Body[]> =>
    (await gateway.operator('GET', `${path}/audit?action=${action}`)).body.data;

  describe('a webhook that an operator creates', () => {
    it('has the settings of the request, and a signing secret that is shown once', async () => {
      const filter = { field: 'data.status', equals: 'active' };
      const { status, body } = await call('POST', '', { ...settings, filter, payload: 'thin', headers });
      const { signing_secret: secret, ...webhook } = body;
      expect([status, secret]).toEqual([201, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)]);
      const shown = { ...settings, filter, payload: 'thin', header_names: ['authorization'], active: true };
      expect(webhook).toMatchObject(shown);
      const read = await call('GET', `/${webhook.id}`);
      expect(read.body).toMatchObject(shown);
      expect(JSON.stringify([webhook, read])).not.toMatch(/s3cret|whsec/);
    });

    it('is in the audit log, without its secret and the values of its headers', async () => {
      const { body } = await call('POST', '', { ...settings, headers });
      const entries = await audited('createWebhook');
      expect(entries).toMatchObject([
        { outcome: 'accepted', resource: body.id, after: { ...settings, header_names: ['authorization'] } },
      ]);
      expect(JSON.stringify(entries)).not.toMatch(/s3cret|whsec/);
    });

    it.each([
      [{ callback_url: 'http://169.254.169.254/latest' }, 'callback_url cannot be called'],
      [{ callback_url: 'ftp://example.com' }, 'callback_url must be an http or https URL'],
      [{ events: [] }, 'events must name at least one event'],
      [{ headers: { 'webhook-signature': 'v1,x' } }, 'headers must not contain headers of the connection'],
    ])('is refused with %j, as for its subscriber', async (wrong, error) => {
      const { body } = await call('POST', '', settings);
      for (const refused of [
        await call('POST', '', { ...settings, ...wrong }),
        await call('PATCH', `/${body.id}`, wrong),
      ])
        expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
    });

    it('is refused beyond the quota of the tenant', async () => {
      await gateway.operator('PUT', `${path}/quotas`, { webhooks: 1 });
      await call('POST', '', settings);
      expect(await call('POST', '', settings)).toEqual({
        status: 403,
        body: { error: 'the quota of the tenant is 1 webhooks, and it has 1' },
      });
    });
  });

  describe('a webhook that an operator changes', () => {
    it('keeps what the request leaves out, and says in the audit log what was set', async () => {
      const { id } = (await call('POST', '', { ...settings, headers })).body;
      const changed = await call('PATCH', `/${id}`, { events: ['*'], headers: { 'x-team': 'a' } });
      expect(changed).toMatchObject({
        status: 200,
        body: { callback_url: settings.callback_url, events: ['*'], header_names: ['x-team'] },
      });
      expect(await audited('updateWebhook')).toMatchObject([
        { resource: id, before: { events: ['user.*'] }, after: { events: ['*'], set: ['events', 'headers'] } },
      ]);
    });

    it('does not send the stored values of its headers to another server', async () => {
      const { id } = (await call('POST', '', { ...settings, headers })).body;
      expect(await call('PATCH', `/${id}`, { callback_url: 'https://other.example/' })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('headers must be given again') },
      });
    });

    it('is inactive until it is set active again, and names no key as the cause', async () => {
      const { id } = (await call('POST', '', settings)).body;
      await call('PATCH', `/${id}`, { active: false });
      const { body } = await call('GET', `/${id}`);
      expect(body).toMatchObject({ active: false, inactive: { by: 'client' } });
      expect(body.inactive).not.toHaveProperty('key_id');
      await call('PATCH', `/${id}`, { active: true });
      expect((await call('GET', `/${id}`)).body).not.toHaveProperty('inactive');
    });
  });

  describe('a webhook that an operator deletes', () => {
    it('is gone, and the audit log has its settings', async () => {
      const { id } = (await call('POST', '', settings)).body;
      expect(await call('DELETE', `/${id}`)).toEqual({ status: 204, body: {} });
      for (const method of ['GET', 'DELETE']) expect((await call(method, `/${id}`)).status).toBe(404);
      expect(await audited('deleteWebhook')).toMatchObject([
        { outcome: 'refused', status: 404 },
        { outcome: 'accepted', resource: id, before: settings },
      ]);
    });

    it('is changed and deleted in its own tenant only', async () => {
      const { id } = (await call('POST', '', settings)).body;
      const own = path;
      path = `/tenants/${encodeId('tenant', await gateway.fixture.tenant())}`;
      for (const foreign of [id, encodeId('webhook', newUuid())]) {
        expect((await call('PATCH', `/${foreign}`, { active: false })).status).toBe(404);
        expect((await call('DELETE', `/${foreign}`)).status).toBe(404);
      }
      path = own;
      expect((await call('GET', `/${id}`)).body.active).toBe(true);
    });
  });
});

describe('deliveries of webhooks:', () => {
  let tenant: string;
  let webhook: string;

  beforeEach(async () => {
    tenant = await gateway.fixture.tenant();
    webhook = await newWebhook();
  });

  async function newWebhook(active = true): Promise<string> {
    const id = newUuid();
    await gateway.fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events, active) values ($1, $2, 'https://x.org/hook', '{user.*}', $3)`,
      [id, tenant, active],
    );
    return id;
  }

  /** Creates a delivery of a new event and returns its id. */
  async function delivery(status = 'dead', sequence = 1, to = webhook): Promise<string> {
    const id = newUuid();
    await gateway.fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details) values ($1, $2, $3, 'user.created', now(), '{}')
     on conflict do nothing`,
      [tenant, sequence, newUuid()],
    );
    await gateway.fixture.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry, attempts, tries)
     values ($1, $2, $3, $4, 'user.created', $5, true, 1, 2)`,
      [id, tenant, to, sequence, status],
    );
    return id;
  }

  /** Calls a route of the tenant and validates the response with the route's schema. */
  async function call(
    method: string,
    path: string,
    body?: object,
    of = tenant,
  ): Promise<{ status: number; body: Body }> {
    const answer = await gateway.operator(method, `/tenants/${encodeId('tenant', of)}${path}`, body);
    const pattern = path.replace(/\?.*/, '').replaceAll(/(whk|dlv|rpl)_\w+/g, '{}');
    const route = routes.find(
      (each) => each.method === method && each.path.replaceAll(/\{\w+\}/g, '{}') === `/admin/v1/tenants/{}${pattern}`,
    );
    if (!route) throw new Error(`no route ${method} ${path}`);
    if (answer.status < 400) {
      expect(answer.status).toBe(route.success.status);
      expect(route.success.schema?.safeParse(answer.body).error?.issues).toBeUndefined();
    } else expect(errorStatusesOf(route)).toContain(answer.status);
    return answer;
  }

  const hook = (id = webhook) => `/webhooks/${encodeId('webhook', id)}`;
  /** Returns messages that are in the outbox or in the queue. */
  const messages = (type: string) =>
    gateway.fixture.rows<{ data: Body }>(
      `select distinct message::jsonb -> 'data' as data
       from (select type, message from outbox union all select type, message from bus_messages) as announced
      where type = $1 and message::jsonb ->> 'tenant_id' = $2`,
      [type, tenant],
    );

  describe('webhooks', () => {
    it('are listed with their health', async () => {
      await delivery('dead', 1);
      await delivery('pending', 2);
      await gateway.fixture.rows(
        `insert into webhook_endpoints (webhook_id, tenant_id, failures, open_until, last_failure_at, state_since)
       values ($1, $2, 11, now() + interval '5 minutes', now(), now() + interval '1 s')`,
        [webhook, tenant],
      );
      const { body } = await call('GET', '/webhooks');
      expect(body).toMatchObject({
        total: 1,
        data: [
          {
            id: encodeId('webhook', webhook),
            active: true,
            pending: { count: 1, exact: true },
            dead: { count: 1, exact: true },
            breaker: { state: 'open' },
            failures: 11,
          },
        ],
      });
      await gateway.fixture.rows(
        `update webhook_endpoints set open_until = now() - interval '1 s' where webhook_id = $1`,
        [webhook],
      );
      expect((await call('GET', hook())).body).toMatchObject({
        breaker: { state: 'half_open' },
        statistics: { attempts: 0, outcomes: {} },
      });
    });

    it('have a success rate of attempts with a known outcome', async () => {
      await gateway.fixture.rows(
        `with ended as (
           insert into webhook_hours (tenant_id, hour, webhook_id, outcome, attempts)
           select $1, date_trunc('hour', now()), $2, outcome, count
             from unnest(array['delivered', 'rejected', 'unknown'], array[3, 1, 1]) as a (outcome, count))
         insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, outcome, duration_ms, ended_at)
         values (gen_random_uuid(), 1, $1, $2, 'delivered', 7, now())`,
        [tenant, webhook],
      );
      expect((await call('GET', hook())).body.statistics).toMatchObject({
        attempts: 5,
        success_rate: 0.75,
        duration_ms: { p50: 7, p99: 7, attempts: 1 },
        outcomes: { delivered: 3, rejected: 1, unknown: 1 },
      });
    });

    it('receive a test event', async () => {
      const { body } = await call('POST', `${hook()}/test`, { message: 'hello' });
      const [event] = await gateway.fixture.rows(
        'select id, type, subject_id as subject, details, sequence::int from events where tenant_id = $1',
        [tenant],
      );
      expect(event).toEqual({
        id: decodeId('event', body.event_id),
        type: 'webhook.test',
        subject: webhook,
        details: { webhook_id: encodeId('webhook', webhook), message: 'hello' },
        sequence: 1,
      });
      expect((await call('POST', `${hook()}/test`)).status).toBe(202);
      expect((await call('POST', `${hook()}/test`, { message: 'x'.repeat(501) })).status).toBe(400);
    });
  });

  describe('deliveries', () => {
    it('are listed in pages with every filter', async () => {
      const ids: string[] = [];
      for (let sequence = 1; sequence <= 5; sequence += 1) {
        ids.unshift(encodeId('delivery', await delivery(sequence % 2 ? 'dead' : 'delivered', sequence)));
      }
      const shown: string[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await call('GET', `/deliveries?limit=2&cursor=${cursor}`);
        expect(body.limit).toBe(2);
        shown.push(...body.data.map((each: Body) => each.id));
        if (!body.next_cursor) break;
        cursor = body.next_cursor;
      }
      expect(shown).toEqual(ids);
      const fits = async (query: string) => (await call('GET', `/deliveries?${query}`)).body.data.length;
      expect(await fits('status=dead')).toBe(3);
      expect(await fits(`webhook_id=${encodeId('webhook', webhook)}&event_type=user.created`)).toBe(5);
      expect(await fits(`webhook_id=${encodeId('webhook', newUuid())}`)).toBe(0);
      expect(await fits('since=2020-01-01T00:00:00%2B02:00&until=2999-01-01T00:00:00Z')).toBe(5);
      expect(await fits('until=2020-01-01T00:00:00Z')).toBe(0);
      expect(await fits('since=0000-01-01T00:00:00%2B14:00&until=9999-12-31T23:59:59-14:00')).toBe(5);
    });

    it.each([
      ['status=gone', 'status must be one of pending, delivered, dead'],
      ['limit=0', 'limit must be an integer of at least 1'],
      ['cursor=x', 'cursor must be the next_cursor of an earlier page'],
      ['event_type=user.*', 'event_type must be an event type'],
      ['event_type=user%00', 'event_type must be an event type'],
      ['since=yesterday', 'since must be a date-time such as 2026-01-31T12:00:00Z'],
      ['since=2026-01-02T00:00:00Z&until=2026-01-02T00:00:00Z', 'until must be after since'],
    ])('are not listed with the invalid query %s', async (query, error) => {
      expect(await call('GET', `/deliveries?${query}`)).toEqual({ status: 400, body: { error } });
    });

    it('are shown with their attempts, and with the body as long as it is stored', async () => {
      const id = await delivery('dead');
      await gateway.fixture.rows(
        `insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, outcome, ended_at, status_code, response_body, duration_ms, error)
       values ($1, 1, $2, $3, 'unknown', now(), null, null, null, null), ($1, 2, $2, $3, 'rejected', now(), 500, 'oh no', 12, null)`,
        [id, tenant, webhook],
      );
      const path = `/deliveries/${encodeId('delivery', id)}`;
      const { body } = await call('GET', path);
      expect(body).toMatchObject({
        status: 'dead',
        tries: 2,
        last_outcome: 'rejected',
        last_status_code: 500,
        attempts: [
          { number: 1, outcome: 'unknown' },
          { number: 2, outcome: 'rejected', status_code: 500, response_body: 'oh no', duration_ms: 12 },
        ],
      });
      expect(body).not.toHaveProperty('body');
      expect(body).not.toHaveProperty('due_at');
      await gateway.fixture.rows('insert into event_payloads values ($1, 1, $2, $3)', [
        tenant,
        newUuid(),
        '{"id":"evt_1"}',
      ]);
      expect((await call('GET', path)).body.body).toBe('{"id":"evt_1"}');
    });
  });

  describe('a request to send deliveries again', () => {
    it('creates a replay with its requester and notifies the dispatcher', async () => {
      const id = await delivery();
      const resend = await call('POST', `/deliveries/${encodeId('delivery', id)}/resend`, { by: 'eve' });
      expect(resend.body).toMatchObject({
        kind: 'resend',
        status: 'queued',
        delivery_id: encodeId('delivery', id),
        webhook_id: encodeId('webhook', webhook),
        requested_by: 'eve',
        progress_pct: 0,
        made_due: 0,
      });
      const requeue = await call('POST', `${hook()}/requeue`);
      expect(requeue.body).toMatchObject({ kind: 'requeue', requested_by: 'operator' });
      const replay = await call('POST', `${hook()}/replay`, {
        since: '2026-01-31T12:00:00+01:00',
        until: '2999-01-01T00:00:00Z',
        events: ['user.*', 'user.*'],
      });
      expect(replay.body).toMatchObject({
        kind: 'replay',
        since: '2026-01-31T11:00:00.000Z',
        until: '2999-01-01T00:00:00.000Z',
        events: ['user.*'],
      });
      const ids = [resend, requeue, replay].map(({ body }) => body.replay_id);
      expect((await call('GET', '/replays')).body).toMatchObject({
        data: ids.toReversed().map((replay_id) => ({ replay_id })),
      });
      const requested = await messages('webhook.replay.requested');
      expect(requested.map(({ data }) => encodeId('replay', data.replay_id)).sort()).toEqual(ids.sort());
      const [row] = await gateway.fixture.rows('select filter from webhook_replays where id = $1', [
        decodeId('replay', resend.body.replay_id),
      ]);
      expect(row).toEqual({ filter: { delivery_id: id } });
    });

    it('returns the same replay for repeated and concurrent requests until it has begun', async () => {
      const requests = await Promise.all(Array.from({ length: 8 }, () => call('POST', `${hook()}/requeue`)));
      expect(new Set(requests.map(({ body }) => body.replay_id)).size).toBe(1);
      expect(await messages('webhook.replay.requested')).toHaveLength(1);
      const other = await call('POST', `${hook()}/replay`, { since: '2026-01-01T00:00:00Z' });
      expect(other.body.replay_id).not.toBe(requests[0]?.body.replay_id);
      await gateway.fixture.rows(
        `update webhook_replays set status = 'running', total = 200, looked_at = 199 where kind = 'requeue'`,
      );
      const later = await call('POST', `${hook()}/requeue`);
      expect(later.body.replay_id).not.toBe(requests[0]?.body.replay_id);
      expect((await call('GET', `/replays/${requests[0]?.body.replay_id}`)).body).toMatchObject({ progress_pct: 99 });
    });

    it('can be cancelled until it is done', async () => {
      const { body } = await call('POST', `${hook()}/requeue`);
      const path = `/replays/${body.replay_id}/cancel`;
      expect((await call('POST', path)).status).toBe(202);
      expect(await messages('webhook.replay.cancel_requested')).toEqual([
        { data: { replay_id: decodeId('replay', body.replay_id) } },
      ]);
      await gateway.fixture.rows(`update webhook_replays set status = 'done', ended_at = now() where tenant_id = $1`, [
        tenant,
      ]);
      expect(await call('POST', path)).toEqual({ status: 400, body: { error: 'the replay is already done' } });
      expect((await call('GET', `/replays/${body.replay_id}`)).body).toMatchObject({ progress_pct: 100 });
    });

    it('is listed in pages', async () => {
      const ids: string[] = [];
      for (const day of [1, 2, 3]) {
        const { body } = await call('POST', `${hook()}/replay`, { since: `2026-01-0${day}T00:00:00Z` });
        ids.unshift(body.replay_id);
      }
      const first = (await call('GET', '/replays?limit=2')).body;
      const second = (await call('GET', `/replays?limit=2&cursor=${first.next_cursor}`)).body;
      expect([...first.data, ...second.data].map(({ replay_id }: Body) => replay_id)).toEqual(ids);
      expect(second).not.toHaveProperty('next_cursor');
      expect((await call('GET', '/replays?cursor=rpl_x')).status).toBe(400);
    });

    it.each([
      [{}, 'since is required'],
      [{ since: '2999-01-01T00:00:00Z' }, 'since must not be in the future'],
      [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'until must be after since'],
      [{ since: '2026-01-02' }, 'since must be a date-time such as 2026-01-31T12:00:00Z'],
      [
        { since: '2026-01-02T00:00:00Z', events: ['User Created'] },
        'events.0 must be an event name, a prefix such as identity.*, or *',
      ],
      [{ since: '2026-01-02T00:00:00Z', events: [] }, 'events must name at least one event'],
      [{ since: '2026-01-02T00:00:00Z', dry_run: true }, 'unknown field dry_run'],
    ])('is rejected for the body %j', async (body, error) => {
      expect(await call('POST', `${hook()}/replay`, body)).toEqual({ status: 400, body: { error } });
    });

    it('is rejected for an inactive or deleted webhook', async () => {
      const off = await newWebhook(false);
      const id = encodeId('delivery', await delivery('dead', 1, off));
      const refused = { status: 400, body: { error: 'the webhook is inactive: activate it first' } };
      expect(await call('POST', `${hook(off)}/test`)).toEqual(refused);
      expect(await call('POST', `${hook(off)}/requeue`)).toEqual(refused);
      expect(await call('POST', `${hook(off)}/replay`, { since: '2026-01-01T00:00:00Z' })).toEqual(refused);
      expect(await call('POST', `/deliveries/${id}/resend`)).toEqual(refused);
      await gateway.fixture.rows('delete from webhooks where id = $1', [off]);
      expect(await call('POST', `/deliveries/${id}/resend`)).toEqual({
        status: 400,
        body: { error: 'the webhook of this delivery was deleted' },
      });
      expect(await gateway.fixture.rows('select from webhook_replays where tenant_id = $1', [tenant])).toEqual([]);
    });
  });

  describe('an unknown resource', () => {
    it.each([
      ['GET', '/webhooks/{}', 'webhook'],
      ['POST', '/webhooks/{}/test', 'webhook'],
      ['POST', '/webhooks/{}/requeue', 'webhook'],
      ['POST', '/webhooks/{}/replay', 'webhook'],
      ['GET', '/deliveries/{}', 'delivery'],
      ['POST', '/deliveries/{}/resend', 'delivery'],
      ['GET', '/replays/{}', 'replay'],
      ['POST', '/replays/{}/cancel', 'replay'],
    ] as const)('returns 404 for %s %s with an unknown, malformed or foreign id', async (method, path, kind) => {
      const body = path.endsWith('/replay') ? { since: '2026-01-01T00:00:00Z' } : undefined;
      const requeue = await call('POST', `${hook()}/requeue`);
      const own = {
        webhook: encodeId('webhook', webhook),
        delivery: encodeId('delivery', await delivery()),
        replay: requeue.body.replay_id,
      };
      const missing = { status: 404, body: { error: 'not found' } };
      expect(await call(method, path.replace('{}', encodeId(kind, newUuid())), body)).toEqual(missing);
      expect(await call(method, path.replace('{}', `${own[kind]}0`), body)).toEqual(missing);
      const otherTenant = await gateway.fixture.tenant();
      expect(await call(method, path.replace('{}', own[kind]), body, otherTenant)).toEqual(missing);
      expect(await call(method, path.replace('{}', own[kind]), body, newUuid())).toEqual(missing);
    });
  });
});
