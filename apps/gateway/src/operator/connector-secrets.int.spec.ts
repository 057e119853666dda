import { decodeId } from '@idsync/contracts';
import { open } from '@idsync/database';
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
  gateway = await OperatedGateway.start({ encryptionKey: key });
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

/** What is stored, opened as the sync-worker does; undefined if nothing is. */
async function stored(id: string): Promise<unknown> {
  const [row] = await gateway.fixture.rows<{ ciphertext: Buffer }>(
    'select ciphertext from connector_secrets where connector_id = $1',
    [decodeId('connector', id)],
  );
  return row && JSON.parse(open(row.ciphertext, [key], decodeId('tenant', tenant) ?? ''));
}

describe('the secrets of a connector', () => {
  it('are never shown again, but for their names, and lie sealed in the database', async () => {
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

  it('stay where a change does not name them, are replaced by name, and taken away by null', async () => {
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

  it('are refused by name where they are none, and what was stays', async () => {
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

  it('have all to be given anew where no key opens them', async () => {
    const id = await create();
    const path = `${connectors}/${id}`;
    await gateway.fixture.rows(`update connector_secrets set ciphertext = '\\x00' where connector_id = $1`, [
      decodeId('connector', id),
    ]);
    expect((await operator('PATCH', path, { name: 'Another' })).body).toEqual({
      error: 'no key opens the secrets of this connector: give all of them anew',
    });
    expect((await operator('PATCH', path, { secrets: { password: 'new', token: null } })).status).toBe(200);
    expect(await stored(id)).toEqual({ password: 'new' });
  });

  it('go with their connector', async () => {
    const id = await create();
    expect((await operator('DELETE', `${connectors}/${id}`)).status).toBe(204);
    expect(await stored(id)).toBeUndefined();
  });
});
