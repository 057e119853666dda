import { encodeId, newUuid } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

const settings = { callback_url: 'https://example.com/hook', events: ['user.*'] };
const headers = { authorization: 'Bearer s3cret' };

let gateway: OperatedGateway;
let path: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

beforeEach(async () => {
  path = `/tenants/${encodeId('tenant', await gateway.fixture.tenant())}`;
});

afterAll(() => gateway?.close());

const call = (method: string, below = '', body?: object) => gateway.operator(method, `${path}/webhooks${below}`, body);
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
