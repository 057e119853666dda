import { encodeId, newUuid } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken } from '../../test/gateway-config.js';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

afterAll(() => gateway?.close());

describe('tenants:', () => {
  const operator: OperatedGateway['operator'] = (...call) => gateway.operator(...call);

  async function tenant(): Promise<{ path: string; read: () => Promise<{ status: number; body: unknown }> }> {
    const path = `/tenants/${(await operator('POST', '/tenants', { name: 'Test' })).body.id}`;
    const { key } = (await operator('POST', `${path}/api-keys`, { name: 'client' })).body;
    const read = async () => {
      const answer = await fetch(`${gateway.url}/v1/users`, { headers: { 'x-api-key': key } });
      return { status: answer.status, body: await answer.json() };
    };
    return { path, read };
  }

  describe('an API key', () => {
    it('keeps its secret and gets other scopes, name and expiry', async () => {
      const { path } = await tenant();
      const scopes = ['users:read'];
      const { id, key } = (await operator('POST', `${path}/api-keys`, { name: 'old', scopes })).body;
      const list = async (name: string) =>
        (await fetch(`${gateway.url}/v1/${name}`, { headers: { 'x-api-key': key } })).status;
      expect([await list('users'), await list('groups')]).toEqual([200, 403]);
      const change = { name: 'new', scopes: ['groups:read', 'groups:read'], expires_at: '2100-01-01T00:00:00.000Z' };
      const { status, body } = await operator('PATCH', `${path}/api-keys/${id}`, change);
      expect({ status, body }).toEqual({
        status: 200,
        body: { id, created_at: expect.any(String), ...change, scopes: ['groups:read'] },
      });
      expect([await list('users'), await list('groups')]).toEqual([403, 200]);
      expect((await operator('PATCH', `${path}/api-keys/${id}`, { expires_at: null })).body).not.toHaveProperty(
        'expires_at',
      );
      const shown = expect.objectContaining({ id, name: 'new', scopes: ['groups:read'] });
      expect((await operator('GET', `${path}/api-keys/${id}`)).body).toEqual(shown);
      expect((await operator('GET', `${path}/api-keys`)).body.data).toContainEqual(shown);
    });

    it.each([{ scopes: [] }, { scopes: ['x'] }, { expires_at: '2020-01-01T00:00:00Z' }, { secret: 'x' }])(
      'rejects the change %j',
      async (change) => {
        const { path } = await tenant();
        const { id } = (await operator('POST', `${path}/api-keys`, { name: 'key' })).body;
        expect((await operator('PATCH', `${path}/api-keys/${id}`, change)).status).toBe(400);
      },
    );

    it('of another tenant or a connector is not found, and a revoked one stays as it is', async () => {
      const [{ path }, other] = [await tenant(), await tenant()];
      const { id } = (await operator('POST', `${path}/api-keys`, { name: 'key' })).body;
      expect((await operator('PATCH', `${other.path}/api-keys/${id}`, { name: 'x' })).status).toBe(404);
      expect((await operator('GET', `${other.path}/api-keys/${id}`)).status).toBe(404);
      const push = { type: 'scim-push', name: 'Okta', records: 'user', config: {} };
      const connector = (await operator('POST', `${path}/connectors`, push)).body.id;
      const token = (await operator('POST', `${path}/connectors/${connector}/tokens`, { name: 'Okta' })).body.id;
      expect((await operator('PATCH', `${path}/api-keys/${token}`, { scopes: ['users:read'] })).status).toBe(404);
      expect((await operator('GET', `${path}/api-keys/${token}`)).status).toBe(404);
      await operator('DELETE', `${path}/api-keys/${id}`);
      const { status, body } = await operator('PATCH', `${path}/api-keys/${id}`, { name: 'x' });
      expect({ status, body }).toEqual({ status: 400, body: { error: 'the key is revoked' } });
    });
  });

  describe('a tenant', () => {
    it('is renamed and keeps its id', async () => {
      const { path } = await tenant();
      const { body } = await operator('PATCH', path, { name: 'Other' });
      expect(body).toMatchObject({ name: 'Other' });
      expect(body).not.toHaveProperty('suspended_at');
      expect((await operator('GET', path)).body).toEqual(body);
      expect((await operator('PATCH', path, { name: '' })).status).toBe(400);
    });

    it('answers its keys with 403 while it is suspended, and as before when it is resumed', async () => {
      const [{ path, read }, other] = [await tenant(), await tenant()];
      expect((await read()).status).toBe(200);
      const { suspended_at: since } = (await operator('PATCH', path, { suspended: true })).body;
      expect(await read()).toEqual({ status: 403, body: { error: 'the tenant is suspended' } });
      expect((await other.read()).status).toBe(200);
      expect((await operator('PATCH', path, { suspended: true })).body).toMatchObject({ suspended_at: since });
      expect((await operator('GET', `${path}/connectors`)).status).toBe(200);
      expect((await operator('PATCH', path, { suspended: false })).body).not.toHaveProperty('suspended_at');
      expect((await read()).status).toBe(200);
    });

    it('answers the token of an identity provider with 403 while it is suspended', async () => {
      const { path } = await tenant();
      const body = { type: 'scim-push', name: 'Okta', records: 'user', config: {} };
      const connector = (await operator('POST', `${path}/connectors`, body)).body.id;
      const { token } = (await operator('POST', `${path}/connectors/${connector}/tokens`, { name: 'Okta' })).body;
      const push = async () =>
        (await fetch(`${gateway.url}/scim/v2/${connector}/Users`, { headers: { authorization: `Bearer ${token}` } }))
          .status;
      expect(await push()).toBe(200);
      await operator('PATCH', path, { suspended: true });
      expect(await push()).toBe(403);
    });

    it('that does not exist cannot be changed', async () => {
      const unknown = '/tenants/ten_01h00000000000000000000000';
      expect((await operator('PATCH', unknown, { name: 'Other' })).status).toBe(404);
    });
  });

  describe('the deletion of a tenant', () => {
    const deletion = (path: string, name: string) => operator('POST', `${path}/deletion`, { name });

    it('counts what the tenant has before it is requested', async () => {
      const { path } = await tenant();
      await operator('POST', `${path}/connectors`, { type: 'scim-push', name: 'IdP', records: 'user', config: {} });
      const { status, body } = await operator('GET', `${path}/deletion`);
      expect(status).toBe(200);
      const contents = { connectors: 1, identities: 0, users: 0, sync_jobs: 0, events: 0, webhooks: 0, api_keys: 1 };
      expect(body).toEqual({ tenant_id: path.slice('/tenants/'.length), name: 'Test', rows_deleted: 0, contents });
    });

    it('is refused without the exact name, and changes nothing', async () => {
      const { path, read } = await tenant();
      for (const name of ['', 'test', 'Test ', 'Other']) {
        expect(await deletion(path, name)).toEqual({
          status: 400,
          body: { error: `name must be the name of the tenant, "Test", got ${JSON.stringify(name)}` },
        });
      }
      expect((await operator('POST', `${path}/deletion`, {})).status).toBe(400);
      expect((await read()).status).toBe(200);
    });

    it('stops the keys at once, and the tenant exists only as a deletion in progress', async () => {
      const [{ path, read }, other] = [await tenant(), await tenant()];
      expect((await read()).status).toBe(200);
      const { status, body } = await deletion(path, 'Test');
      expect({ status, body }).toMatchObject({ status: 202, body: { rows_deleted: 0, contents: { api_keys: 0 } } });
      expect(await read()).toEqual({ status: 401, body: { error: 'missing or invalid API key' } });
      expect((await other.read()).status).toBe(200);
      expect((await operator('GET', path)).body).toMatchObject({
        deletion_requested_at: body.requested_at,
        suspended_at: expect.any(String),
      });
      expect((await operator('GET', `${path}/connectors`)).status).toBe(404);
      expect((await operator('POST', `${path}/api-keys`, { name: 'again' })).status).toBe(404);
      expect((await operator('PATCH', path, { suspended: false })).status).toBe(404);
      expect((await deletion(path, 'Test')).body).toMatchObject({ requested_at: body.requested_at });
    });

    it('is in the audit log of the installation, which stays', async () => {
      const { path } = await tenant();
      await deletion(path, 'Test');
      const { body } = await operator('GET', `/audit?resource=${path.split('/').at(-1)}&action=deleteTenant`);
      expect(body.data).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
    });

    it('that does not exist answers 404', async () => {
      const unknown = '/tenants/ten_01h00000000000000000000000';
      expect((await operator('GET', `${unknown}/deletion`)).status).toBe(404);
      expect((await deletion(unknown, 'Test')).status).toBe(404);
    });
  });
});

describe('the settings of a tenant', () => {
  async function tenant() {
    const id = await gateway.fixture.tenant();
    const path = `/tenants/${encodeId('tenant', id)}`;
    return { id, path, settings: `${path}/settings` };
  }

  it('are all settings that its routes for parts have, with their defaults', async () => {
    const { path, settings } = await tenant();
    const part = async (name: string) => (await gateway.operator('GET', `${path}/${name}`)).body;
    expect((await gateway.operator('GET', settings)).body).toEqual({
      ...(await part('lifecycle-policy')),
      ...(await part('finding-policy')),
      ...(await part('operator-policy')),
    });
  });

  it('are changed one by one, and recorded with the state before', async () => {
    const { path, settings } = await tenant();
    const changed = await gateway.operator('PATCH', settings, { log_reads: true, stale_source_hours: 48 });
    expect(changed).toMatchObject({ status: 200, body: { log_reads: true, stale_source_hours: 48, time_zone: 'UTC' } });
    expect((await gateway.operator('GET', `${path}/operator-policy`)).body.log_reads).toBe(true);
    expect((await gateway.operator('GET', `${path}/finding-policy`)).body.stale_source_hours).toBe(48);
    const { data } = (await gateway.operator('GET', `${path}/audit?action=updateSettings`)).body;
    expect(data).toMatchObject([{ before: { log_reads: false }, after: { log_reads: true, stale_source_hours: 48 } }]);
  });

  it('request an operation only if rules for dates change', async () => {
    const { id, settings } = await tenant();
    await gateway.operator('PATCH', settings, { grace_days: 30, log_reads: true });
    const operations = () =>
      gateway.fixture.rows<{ input: object }>('select input from operations where tenant_id = $1', [id]);
    expect(await operations()).toEqual([]);
    const { status, body } = await gateway.operator('PATCH', settings, { grace_days: 60, time_zone: 'Europe/Berlin' });
    expect({ status, operation: body.operation_id }).toEqual({
      status: 202,
      operation: expect.stringMatching(/^opn_/),
    });
    expect(await operations()).toMatchObject([
      { input: { policy: { grace_days: 60, time_zone: 'Europe/Berlin', retention_days: 30 } } },
    ]);
  }, 30_000);

  it('wait for a second operator if the tenant has four eyes, unless only findings are concerned', async () => {
    const { path, settings } = await tenant();
    await gateway.operator('PATCH', settings, { four_eyes: true });
    expect((await gateway.operator('PATCH', settings, { stale_source_hours: 48 })).status).toBe(200);
    const off = await gateway.operator('PATCH', settings, { four_eyes: false });
    expect(off).toMatchObject({ status: 202, body: { action: 'updateSettings', status: 'pending' } });
    for (const name of ['eva', 'bob']) {
      const { token } = (await gateway.operator('POST', '/service-tokens', { name, role: 'admin' })).body;
      if (name === 'eva') {
        const asked = await gateway.operatorAs(token, 'PATCH', settings, { four_eyes: false });
        expect(asked.status).toBe(202);
        off.body.approval_id = asked.body.approval_id;
      } else {
        const approve = `${path}/approvals/${off.body.approval_id}/approve`;
        expect((await gateway.operatorAs(token, 'POST', approve)).status).toBe(200);
      }
    }
    expect((await gateway.operator('GET', settings)).body.four_eyes).toBe(false);
  });

  it.each([
    { grace_days: -1 },
    { time_zone: 'Mars' },
    { seats: 1 },
    { connector_time_zones: [{ connector_id: 'x', time_zone: 'UTC' }] },
  ])('are refused with 400: %j', async (patch) => {
    const { settings } = await tenant();
    expect((await gateway.operator('PATCH', settings, patch)).status).toBe(400);
  });
});

describe('the export of a tenant over HTTP', () => {
  let id: string;

  beforeAll(async () => {
    id = (await gateway.operator('POST', '/tenants', { name: 'Test' })).body.id;
    const made = await gateway.operator('POST', `/tenants/${id}/connectors`, {
      type: 'scim',
      name: 'SCIM',
      config: { url: 'https://scim.example.com/v2', auth: { type: 'basic', user: 'reader' } },
      secrets: { password: 'hunter2' },
    });
    expect(made.status).toBe(201);
  });

  const headers = { authorization: `Bearer ${adminToken}` };
  const request = (method = 'GET', tenant = id, query = '') =>
    fetch(`${gateway.url}/admin/v1/tenants/${tenant}/export${query}`, { method, headers });

  /** Adds events of several megabytes, so that the response does not fit into the buffers of a connection. */
  async function largeTenant(): Promise<string> {
    const large = await gateway.fixture.tenant('Large');
    await gateway.fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
     select $1, n, gen_random_uuid(), 'user.created', now(), jsonb_build_object('text', repeat(md5(n::text), 1000))
       from generate_series(1, 600) n`,
      [large],
    );
    const { body } = await gateway.operator('GET', '/tenants?limit=200');
    return body.data.find(({ name }: { name: string }) => name === 'Large').id;
  }

  it('is JSON lines without secrets', async () => {
    const answer = await request();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const text = await answer.text();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ kind: 'tenant', name: 'Test' });
    expect(lines.at(-1)).toMatchObject({ kind: 'end', lines: { tenant: 1, connector: 1, user: 0 } });
    expect(text).not.toContain('hunter2');
  });

  it('has no body for HEAD, and is 404 for an unknown tenant', async () => {
    const answer = await request('HEAD');
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: '' });
    expect((await request('GET', 'ten_01h00000000000000000000000')).status).toBe(404);
  });

  it('is continued behind a line with a position after its connection was lost', async () => {
    const large = await largeTenant();
    const controller = new AbortController();
    const url = `${gateway.url}/admin/v1/tenants/${large}/export`;
    const cut = await fetch(url, { headers, signal: controller.signal });
    let text = '';
    const decoder = new TextDecoder();
    for (const reader = cut.body?.getReader(); !/"position":"[^"]+".*\n/.test(text); ) {
      text += decoder.decode((await reader?.read())?.value, { stream: true });
    }
    controller.abort();
    const lines = (body: string) =>
      body
        .slice(0, body.lastIndexOf('\n'))
        .split('\n')
        .map((line) => JSON.parse(line));
    const received = lines(text);
    const last = received.findLastIndex(({ position }) => position);
    const rest = lines(await (await request('GET', large, `?after=${received[last].position}`)).text());
    expect(rest[0]).toMatchObject({ kind: 'continued', id: large });
    const events = [...received.slice(0, last + 1), ...rest].filter(({ kind }) => kind === 'event');
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 600 }, (_, n) => n + 1));
    expect(rest.at(-1)).toMatchObject({ kind: 'end', lines: { tenant: 1, event: 600, continued: 1 } });
  }, 60_000);

  it.each([
    ['another text', 'x'],
    ['a day that does not exist', '2026-02-31 00:00:00+00'],
    ['an hour that does not exist', '2026-02-28 25:00:00+00'],
    ['a year that PostgreSQL lacks', '0000-01-01 00:00:00+00'],
  ])('is refused with 400 for %s in the position', async (_, time) => {
    const position = JSON.stringify(['record_version', [newUuid(), time, '1'], {}]);
    const after = time === 'x' ? time : Buffer.from(position).toString('base64url');
    const answer = await request('GET', id, `?after=${after}`);
    expect({ status: answer.status, body: await answer.json() }).toEqual({
      status: 400,
      body: { error: 'after must be the position of a line of an export' },
    });
  });

  it('is limited to two at once, waits for its client, and ends when the client leaves', async () => {
    const large = await largeTenant();
    const open = [new AbortController(), new AbortController()];
    const readers = [];
    for (const { signal } of open) {
      const answer = await fetch(`${gateway.url}/admin/v1/tenants/${large}/export`, { headers, signal });
      readers.push(answer.body?.getReader());
    }
    for (const reader of readers) expect((await reader?.read())?.done).toBe(false);
    const refused = await request();
    expect({ status: refused.status, retry: refused.headers.get('retry-after') }).toEqual({ status: 503, retry: '60' });
    for (const controller of open) controller.abort();
    await until(async () => (await request()).status === 200, 'an accepted export', 30_000);
  }, 60_000);

  it('is truncated, never complete, if the database fails', async () => {
    const large = await largeTenant();
    const answer = await request('GET', large);
    const reader = answer.body?.getReader();
    await reader?.read();
    await gateway.fixture.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()`,
    );
    const rest = async () => {
      for (;;) if ((await reader?.read())?.done) return 'complete';
    };
    await expect(rest()).rejects.toThrow('terminated');
  }, 60_000);
});
