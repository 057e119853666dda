import { decodeId } from '@idsync/contracts';
import { open } from '@idsync/database';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Gateway, startGateway } from '../start.js';

const adminToken = 'the-operators-token-of-this-test';
const key = Buffer.alloc(32, 1);
const scim = {
  type: 'scim',
  config: { url: 'https://scim.example.com/v2', auth: { type: 'basic', user: 'reader' } },
  secrets: { password: 'hunter2', token: 'tok-abc' },
};

let database: TestDatabase;
let gateway: Gateway;
let fixture: DirectoryFixture;
let tenant: string;
let connectors: string;
let made = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = DirectoryFixture.connect(database.url);
  gateway = await startGateway({
    databaseUrl: database.url,
    host: '127.0.0.1',
    port: 0,
    adminToken,
    encryptionKeys: [key],
    allowedCidrs: [],
    logLevel: 'fatal',
  });
  tenant = String((await operator('POST', '/tenants', { name: 'Test' })).body.id);
  connectors = `/tenants/${tenant}/connectors`;
});

afterAll(async () => {
  await gateway?.close();
  await fixture?.close();
  await database?.drop();
});

async function operator(method: string, path: string, body?: object) {
  const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

async function create(more: object = {}): Promise<string> {
  made += 1;
  const { status, body } = await operator('POST', connectors, { ...scim, name: `SCIM ${made}`, ...more });
  expect(status).toBe(201);
  return String(body.id);
}

/** What is stored, opened as the sync-worker does; undefined if nothing is. */
async function stored(id: string): Promise<unknown> {
  const [row] = await fixture.rows<{ ciphertext: Buffer }>(
    'select ciphertext from connector_secrets where connector_id = $1',
    [decodeId('connector', id)],
  );
  return row && JSON.parse(open(row.ciphertext, [key], decodeId('tenant', tenant) ?? ''));
}

describe('the secrets of a connector', () => {
  it('are never shown again, but for their names, and lie sealed in the database', async () => {
    const id = await create();
    for (const path of [connectors, `${connectors}/${id}`]) {
      const { text } = await operator('GET', path);
      expect(text).toContain('"secrets":["password","token"]');
      expect(text).not.toMatch(/hunter2|tok-abc/);
    }
    const rows = await fixture.rows(
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
    await fixture.rows(`update connector_secrets set ciphertext = '\\x00' where connector_id = $1`, [
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
