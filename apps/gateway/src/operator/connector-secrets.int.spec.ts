import { decodeId } from '@idsync/contracts';
import { decrypt } from '@idsync/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

const key = Buffer.alloc(32, 1);
const scim = {
  type: 'scim',
  config: { url: 'https://scim.example.com/v2', auth: { type: 'basic', user: 'reader' } },
  secrets: { password: 'hunter2', token: 'tok-abc' },
};

let gateway: OperatedGateway;
let tenant: string;
let connectors: string;
let made = 0;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ ENCRYPTION_KEY: key });
  tenant = String((await operator('POST', '/tenants', { name: 'Test' })).body.id);
  connectors = `/tenants/${tenant}/connectors`;
});

afterAll(() => gateway?.close());

const operator: OperatedGateway['operator'] = (...call) => gateway.operator(...call);

async function create(more: object = {}): Promise<string> {
  made += 1;
  const { status, body } = await operator('POST', connectors, { ...scim, name: `SCIM ${made}`, ...more });
  expect(status).toBe(201);
  return String(body.id);
}

/** Returns the stored secrets, decrypted as the sync-worker does, or undefined. */
async function stored(id: string): Promise<unknown> {
  const [row] = await gateway.fixture.rows<{ ciphertext: Buffer }>(
    'select ciphertext from connector_secrets where connector_id = $1',
    [decodeId('connector', id)],
  );
  return row && JSON.parse(decrypt(row.ciphertext, [key], decodeId('tenant', tenant) ?? ''));
}

describe('the secrets of a connector', () => {
  it('are never returned except for their names, and are encrypted in the database', async () => {
    const id = await create();
    for (const path of [connectors, `${connectors}/${id}`]) {
      const text = JSON.stringify((await operator('GET', path)).body);
      expect(text).toContain('"secrets":["password","token"]');
      expect(text).not.toMatch(/hunter2|tok-abc/);
    }
    const rows = await gateway.fixture.rows(
      'select * from connectors c left join connector_secrets s on s.connector_id = c.id',
    );
    expect(JSON.stringify(rows)).not.toMatch(/hunter2|tok-abc/);
    expect(await stored(id)).toEqual(scim.secrets);
  });

  it('stay if a change omits them, are replaced by name, and are removed by null', async () => {
    const id = await create();
    const path = `${connectors}/${id}`;
    expect((await operator('PATCH', path, { name: 'Renamed' })).body).toMatchObject({ secrets: ['password', 'token'] });
    expect(await stored(id)).toEqual(scim.secrets);
    await operator('PATCH', path, { secrets: { password: 'correct horse' } });
    expect(await stored(id)).toEqual({ password: 'correct horse', token: 'tok-abc' });
    expect((await operator('PATCH', path, { secrets: { token: null } })).body).toMatchObject({ secrets: ['password'] });
    await operator('PATCH', path, { secrets: { password: null } });
    expect(await stored(id)).toBeUndefined();
  });

  it('must be set again when their destination changes', async () => {
    const path = `${connectors}/${await create()}`;
    const elsewhere = { ...scim.config, url: 'https://evil.example.com/v2' };
    expect(await operator('PATCH', path, { config: elsewhere })).toEqual({
      status: 400,
      body: {
        error: 'config.url determines where secrets are sent: set secrets.password, secrets.token again, or to null',
      },
    });
    for (const auth of [
      { type: 'header', name: 'x-leak' },
      { type: 'basic', user: 'another' },
    ]) {
      expect((await operator('PATCH', path, { config: { ...scim.config, auth } })).body.error).toContain('config.auth');
    }
    expect((await operator('PATCH', path, { config: elsewhere, secrets: { token: 'new' } })).body.error).toContain(
      'set secrets.password again',
    );
    expect((await operator('PATCH', path, { config: { ...scim.config, filter: 'active eq true' } })).status).toBe(200);
    const secrets = { password: null, token: 'new' };
    const auth = { type: 'bearer' };
    expect((await operator('PATCH', path, { config: { ...elsewhere, auth }, secrets })).status).toBe(200);
  });

  it('are rejected by name if invalid, and the stored ones stay', async () => {
    const id = await create();
    const path = `${connectors}/${id}`;
    const refused: [unknown, string][] = [
      [{ pasword: 'x' }, 'unknown field pasword'],
      [{ password: 5 }, 'secrets.password'],
      [null, 'secrets'],
      ['hunter2', 'secrets'],
    ];
    for (const [secrets, text] of refused) {
      const { status, body } = await operator('PATCH', path, { secrets });
      expect(status).toBe(400);
      expect(body.error).toContain(text);
      expect(body.error).not.toContain('hunter2');
    }
    expect(await stored(id)).toEqual(scim.secrets);
  });

  it('must all be set again if no key decrypts them', async () => {
    const id = await create();
    const path = `${connectors}/${id}`;
    await gateway.fixture.rows(`update connector_secrets set ciphertext = '\\x00' where connector_id = $1`, [
      decodeId('connector', id),
    ]);
    expect((await operator('PATCH', path, { name: 'Another' })).body).toEqual({
      error: 'the secrets of this connector cannot be decrypted: set all of them again',
    });
    expect((await operator('PATCH', path, { secrets: { password: 'new', token: null } })).status).toBe(200);
    expect(await stored(id)).toEqual({ password: 'new' });
  });

  it('are deleted with their connector', async () => {
    const id = await create();
    expect((await operator('DELETE', `${connectors}/${id}`)).status).toBe(204);
    expect(await stored(id)).toBeUndefined();
  });
});
