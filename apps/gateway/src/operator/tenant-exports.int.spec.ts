import { until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken } from '../../test/gateway-config.js';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let id: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  id = (await gateway.operator('POST', '/tenants', { name: 'Test' })).body.id;
  const made = await gateway.operator('POST', `/tenants/${id}/connectors`, {
    type: 'scim',
    name: 'SCIM',
    config: { url: 'https://scim.example.com/v2', auth: { type: 'basic', user: 'reader' } },
    secrets: { password: 'hunter2' },
  });
  expect(made.status).toBe(201);
});

afterAll(() => gateway?.close());

const headers = { authorization: `Bearer ${adminToken}` };
const request = (method = 'GET', tenant = id) =>
  fetch(`${gateway.url}/admin/v1/tenants/${tenant}/export`, { method, headers });

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

describe('the export of a tenant over HTTP', () => {
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
