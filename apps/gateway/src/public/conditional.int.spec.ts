import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { assignTime } from '@idsync/database/bus';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let directory: Database;
let key: string;
let tenant: string;
const person = newUuid();

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  directory = await Database.connect({ url: gateway.database.url, service: 'directory' });
  ({ tenant, key } = await newTenant());
  await gateway.fixture.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     values ($1, $2, 'active', now(), now(), '{"id":"ann","name":"Ann"}')`,
    [tenant, person],
  );
  await gateway.fixture.rows(
    `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at, created_at,
        updated_at, document, last_job_id, last_seq, status_since)
     values ($2, $1, 'user', $2, 'x', 'active', '', '{}', '{}', now(), now(), '{"id":"ann"}', $2, 1, now())`,
    [tenant, person],
  );
});

afterAll(async () => {
  await directory?.close();
  await gateway?.close();
});

async function newTenant(): Promise<{ tenant: string; key: string }> {
  const { body } = await gateway.operator('POST', '/tenants', { name: 'Test' });
  const issued = await gateway.operator('POST', `/tenants/${body.id}/api-keys`, { name: 'test' });
  return { tenant: decodeId('tenant', body.id) ?? '', key: issued.body.key };
}

const get = (path: string, version?: string) =>
  fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': key, ...(version && { 'if-none-match': version }) } });

/** Moves the position of the tenant, as each change of the directory does. */
const change = () => directory.transaction(tenant, (tx) => assignTime(tx, tenant));

const paths = (): [string, string][] => [
  ['a page of identities', '/v1/identities'],
  ['an empty page', '/v1/identities?offset=10'],
  ['a page by cursor', '/v1/identities?cursor='],
  ['a page of changes', '/v1/users?updated_since=2020-01-01T00:00:00Z'],
  ['a page of users', '/v1/users?limit=5&status=active'],
];

describe('a conditional request', () => {
  it.each(paths())('for %s is 304 without a body until something in the tenant changes', async (_, path) => {
    const first = await get(path);
    const version = first.headers.get('etag') ?? '';
    expect({ status: first.status, version }).toEqual({ status: 200, version: expect.stringMatching(/^"[^"]+"$/) });
    const same = await get(path, version);
    expect({ status: same.status, version: same.headers.get('etag'), text: await same.text() }).toEqual({
      status: 304,
      version,
      text: '',
    });
    expect((await get(path, `"other", W/${version}`)).status).toBe(304);
    await change();
    const later = await get(path, version);
    expect(later.status).toBe(200);
    expect(later.headers.get('etag')).not.toBe(version);
    expect(await later.json()).toEqual(await first.json());
  });

  it.each([
    ['an identity', () => `/v1/identities/${encodeId('identity', person)}`, 'identities'],
    ['a user', () => `/v1/users/${encodeId('user', person)}`, 'source_records'],
  ])('for %s is 304 until its document changes', async (_, path, table) => {
    const first = await get(path());
    const version = first.headers.get('etag') ?? '';
    await change();
    expect((await get(path(), version)).status).toBe(304);
    await gateway.fixture.rows(`update ${table} set document = '{"id":"ann","name":"Anna"}' where id = $1`, [person]);
    const later = await get(path(), version);
    expect({ status: later.status, body: await later.json() }).toEqual({
      status: 200,
      body: { id: 'ann', name: 'Anna' },
    });
  });

  it('has a version of its tenant only', async () => {
    const version = (await get('/v1/identities')).headers.get('etag') ?? '';
    const other = await newTenant();
    const answer = await fetch(`${gateway.url}/v1/identities`, {
      headers: { 'x-api-key': other.key, 'if-none-match': version },
    });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('for a list with filters has no version', async () => {
    expect((await get('/v1/identities?email=ann@x.org')).headers.get('etag')).toBeNull();
  });
});
