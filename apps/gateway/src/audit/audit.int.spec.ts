import { encodeId, newUuid, routes } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let tenant: string;
let connector: string;
/** A connector that the walk over all routes may delete. */
let walked: string;

const csv = { type: 'csv', name: 'HR', records: 'user', priority: 10, config: { path: 'hr.csv', mapping: {} } };
const pushed = { type: 'scim-push', name: 'IdP', config: {} };

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  tenant = (await gateway.operator('POST', '/tenants', { name: 'Acme' })).body.id;
  connector = (await gateway.operator('POST', `/tenants/${tenant}/connectors`, pushed)).body.id;
  walked = (await gateway.operator('POST', `/tenants/${tenant}/connectors`, { ...pushed, name: 'Walked' })).body.id;
});

afterAll(() => gateway?.close());

const of = (path: string) => `/tenants/${tenant}${path}`;
const entries = async (query: string, path = '/audit'): Promise<Body[]> =>
  (await gateway.operator('GET', `${path}?${query}`)).body.data;
/** Sends a request and returns its answer and its entries. */
async function recorded(method: string, path: string, body?: object) {
  const answer = await gateway.operatorAs(adminToken, method, path, body);
  return { ...answer, entries: await entries(`request_id=${answer.requestId}`) };
}

const writing = routes.filter(({ auth, method }) => auth === 'operator' && method !== 'GET');
/** An id of each path; unknown, except for tenant and connector. */
const filled = (path: string) =>
  path
    .replace('/admin/v1', '')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'tenantId' ? tenant : name === 'connectorId' ? walked : encodeId('job', newUuid()),
    );

describe('the audit log', () => {
  it.each(writing.map(({ method, path }) => [method, path]))('records a request: %s %s', async (method, path) => {
    const { status, entries: found } = await recorded(method, filled(path), {});
    expect(found.length).toBeGreaterThan(0);
    for (const entry of found) {
      expect(entry).toMatchObject({
        actor: { kind: 'admin_token', name: 'operator', role: 'admin' },
        address: '127.0.0.1',
        action: expect.stringMatching(/^[a-z][A-Za-z]+$/),
      });
    }
    const refusal = found.find(({ outcome }) => outcome === 'refused');
    expect(refusal?.status).toBe(status >= 400 ? status : undefined);
  });

  it('has the state before and after, the reason and the new resource of an act', async () => {
    const renamed = await recorded('PATCH', of(''), { name: 'Acme Ltd' });
    expect(renamed.entries).toMatchObject([
      {
        action: 'updateTenant',
        outcome: 'accepted',
        resource: tenant,
        before: { name: 'Acme' },
        after: { name: 'Acme Ltd' },
      },
    ]);
    const issued = await recorded('POST', of('/api-keys'), { name: 'reporting', scopes: ['users:read'] });
    expect(issued.entries).toMatchObject([
      { action: 'createApiKey', resource: issued.body.id, after: { name: 'reporting', scopes: ['users:read'] } },
    ]);
    const revoked = await recorded('DELETE', of(`/api-keys/${issued.body.id}`));
    expect(revoked.entries).toMatchObject([{ action: 'deleteApiKey', resource: issued.body.id, outcome: 'accepted' }]);
    const policy = await recorded('PUT', of('/finding-policy'), { unmatched_account_hours: 72 });
    expect(policy.entries).toMatchObject([
      { before: { unmatched_account_hours: 24 }, after: { unmatched_account_hours: 72 } },
    ]);
    const triggered = await recorded('POST', of('/sync-jobs'), { connector_id: connector });
    expect(triggered.entries).toMatchObject([{ action: 'createSyncJob', resource: triggered.body.job_id }]);
  });

  it('records a refused act with its error and its reason, and no other part of its body', async () => {
    const job = encodeId('job', newUuid());
    const { entries: found } = await recorded('POST', of(`/sync-jobs/${job}/release`), {
      reason: 'checked',
      by: 'Eva',
    });
    expect(found).toMatchObject([
      {
        action: 'releaseSyncJob',
        outcome: 'refused',
        status: 404,
        resource: job,
        reason: 'checked',
        error: 'not found',
      },
    ]);
    expect(found[0]).not.toHaveProperty('after');
    const invalid = await recorded('POST', of('/connectors'), { ...csv, password: 'hunter2hunter2' });
    expect(invalid.status).toBe(400);
    expect(JSON.stringify(invalid.entries)).not.toContain('hunter2');
  });

  it('contains no secret of a connector, and no key or token', async () => {
    const source = {
      type: 'okta',
      name: 'Okta',
      records: 'user',
      config: { url: 'https://example.okta.com' },
      secrets: { token: 'a-secret-of-okta' },
    };
    const made = await gateway.operator('POST', of('/connectors'), source);
    expect(made.status).toBe(201);
    await gateway.operator('PATCH', of(`/connectors/${made.body.id}`), {
      secrets: { token: 'another-secret-of-okta' },
    });
    const key = (await gateway.operator('POST', of('/api-keys'), { name: 'x' })).body.key;
    const token = (await gateway.operator('POST', of(`/connectors/${connector}/tokens`), { name: 'x' })).body.token;
    const all = await gateway.fixture.rows<{ entry: string }>('select entry from audit_entries');
    const text = all.map(({ entry }) => entry).join('\n');
    expect(text).toContain(made.body.id);
    for (const secret of ['secret-of-okta', key.slice(-43), token.slice(-43)]) expect(text).not.toContain(secret);
  });

  it('records a refused act on an unknown tenant in the chain of the installation', async () => {
    const { entries: found } = await recorded('PATCH', `/tenants/${encodeId('tenant', newUuid())}`, { name: 'x' });
    expect(found).toMatchObject([{ outcome: 'refused', status: 404 }]);
    expect(found[0]).not.toHaveProperty('tenant_id');
  });

  it('records reads of people if the tenant wants it, with the names of their filters only', async () => {
    const search = of('/identities?q=ann%20lee&limit=1');
    expect((await recorded('GET', search)).entries).toEqual([]);
    await gateway.operator('PUT', of('/operator-policy'), { log_reads: true });
    const { entries: found } = await recorded('GET', search);
    expect(found).toMatchObject([
      { action: 'listIdentities', outcome: 'accepted', after: { filters: ['q', 'limit'] } },
    ]);
    expect(JSON.stringify(found)).not.toContain('lee');
    expect((await recorded('GET', of(`/identities/${encodeId('identity', newUuid())}`))).entries).toEqual([]);
    await gateway.operator('PUT', of('/operator-policy'), {});
    expect((await recorded('GET', search)).entries).toEqual([]);
  });

  it('has at most 301 refusals of an actor in a minute, and the last one says so', async () => {
    const { token } = (await gateway.operator('POST', '/service-tokens', { name: 'flood', role: 'viewer' })).body;
    for (let nth = 0; nth < 310; nth += 1) {
      expect((await gateway.operatorAs(token, 'DELETE', of(`/connectors/${connector}`))).status).toBe(403);
    }
    const found = await gateway.fixture.rows<{ entry: string }>(
      `select entry from audit_entries where actor = 'flood' order by sequence`,
    );
    expect(found).toHaveLength(301);
    expect(JSON.parse(found.at(-1)?.entry ?? '').error).toContain('further refusals of this minute are not recorded');
  });

  it('is listed with filters, page by page, oldest or newest first', async () => {
    const path = of('/audit');
    const all = await entries('limit=200&order=asc', path);
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, at) => at + 1));
    const read: number[] = [];
    let cursor = '';
    do {
      const { body } = await gateway.operator('GET', `${path}?limit=7&cursor=${cursor}`);
      read.push(...body.data.map(({ sequence }: Body) => sequence));
      cursor = body.next_cursor;
    } while (cursor);
    expect(read.reverse().slice(0, 200)).toEqual(all.map(({ sequence }) => sequence));
    expect((await entries('action=updateTenant&actor=operator', path)).length).toBeGreaterThan(0);
    expect(await entries('actor=nobody', path)).toEqual([]);
    expect(await entries('since=2999-01-01T00:00:00Z', path)).toEqual([]);
    expect((await entries(`resource=${tenant}&until=2999-01-01T00:00:00Z`)).length).toBeGreaterThan(0);
    for (const query of ['cursor=x', 'order=up', 'since=yesterday', 'unknown=1', 'limit=0']) {
      expect((await gateway.operator('GET', `${path}?${query}`)).status).toBe(400);
    }
  });

  it('is verified, and the problem of a removed or changed entry is reported', async () => {
    const verify = async (query = '') => (await gateway.operator('GET', of(`/audit/verification?${query}`))).body;
    const { head, ...whole } = await verify();
    expect(whole).toEqual({ verified: head.sequence, problems: [] });
    expect(await verify(`known=${head.sequence}:${head.hash}`)).toMatchObject({ problems: [] });
    expect(await verify(`known=${head.sequence}:${'0'.repeat(64)}&after=3`)).toMatchObject({
      verified: head.sequence - 3,
      problems: [{ sequence: head.sequence, problem: 'known' }],
    });
    expect((await gateway.operator('GET', '/audit/verification')).body.problems).toEqual([]);
    const uuid = await gateway.fixture.rows<{ id: string }>(
      'select distinct tenant_id as id from audit_entries where sequence = 5',
    );
    for (const { id } of uuid) {
      await gateway.fixture.rows('delete from audit_entries where tenant_id = $1 and sequence = 2', [id]);
    }
    const { problems } = await verify();
    expect(problems).toContainEqual({ sequence: 2, problem: 'missing' });
    // The hourly pass may have anchored this entry, which is then a second problem of it.
    expect(problems.filter((each: Body) => each.problem !== 'anchor' || each.sequence !== 2)).toHaveLength(1);
    expect((await gateway.operator('GET', of('/audit/verification?known=1'))).status).toBe(400);
  });
});

describe('failed sign-ins', () => {
  it('are one entry with their number and networks, whatever the number of requests', async () => {
    const own = await OperatedGateway.start();
    const database = own.fixture;
    for (let nth = 0; nth < 30; nth += 1) {
      const { status } = await fetch(`${own.url}/admin/v1/tenants`, { headers: { authorization: 'Bearer wrong' } });
      expect(status).toBe(401);
    }
    await own.closeGateway();
    const found = await database.rows<{ entry: string }>(
      `select entry from audit_entries where action = 'signInFailed'`,
    );
    expect(found.map(({ entry }) => JSON.parse(entry))).toMatchObject([
      { outcome: 'refused', after: { requests: 30, networks: [{ network: '127.0.0.1', count: 30 }] } },
    ]);
    await own.close();
  });
});
