import { encodeId } from '@idsync/contracts';
import { decrypt } from '@idsync/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayConfig } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

const plain = { callback_url: 'https://example.com/hook', events: ['*'] };
const filter = {
  and: [
    { field: 'type', prefix: 'user.' },
    { field: 'data.status', equals: 'active' },
  ],
};

let gateway: OperatedGateway;
let tenantId: string;
let key: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  tenantId = await gateway.fixture.tenant();
  key = (await gateway.operator('POST', `/tenants/${encodeId('tenant', tenantId)}/api-keys`, { name: 'x' })).body.key;
});

afterAll(() => gateway?.close());

async function call(method: string, path = '', body?: object): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${gateway.url}/v1/webhooks${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

describe('a webhook', () => {
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
