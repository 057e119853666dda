import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

afterAll(() => gateway?.close());

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
    expect((await operator('GET', `${path}/api-keys`)).body.data).toContainEqual(
      expect.objectContaining({ id, name: 'new', scopes: ['groups:read'] }),
    );
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
    const push = { type: 'scim-push', name: 'Okta', records: 'user', config: {} };
    const connector = (await operator('POST', `${path}/connectors`, push)).body.id;
    const token = (await operator('POST', `${path}/connectors/${connector}/tokens`, { name: 'Okta' })).body.id;
    expect((await operator('PATCH', `${path}/api-keys/${token}`, { scopes: ['users:read'] })).status).toBe(404);
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
