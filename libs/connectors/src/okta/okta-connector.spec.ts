import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import { loopback } from '../../test/http-server.js';
import { oktaServer, oktaUnderTest } from '../../test/okta-server.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { read } from '../../test/reading.js';
import { CheckpointExpired, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import { oktaConnector } from './okta-connector.js';

conforms(oktaUnderTest());

const users = oktaServer();
const present = oktaServer('user', { deprovisioned: false });
const accounts = oktaServer('account');
const grouped = oktaServer('user', { fields: { groups: '@groups' } });
const apps = oktaServer('machine_identity');
const named = oktaServer('user', { external_id: 'profile.login' });
const all = [users, present, accounts, grouped, apps, named];
for (const api of all) api.server.serve((asked) => api.answer(asked));

const isaac = {
  id: '00ub0oNGTSWTBKOLGLNR',
  status: 'ACTIVE',
  created: '2013-06-24T16:39:18.000Z',
  lastLogin: '2013-06-24T17:39:19.000Z',
  passwordChanged: '2013-07-02T21:36:25.344Z',
  profile: {
    firstName: 'Isaac',
    lastName: 'Brock',
    displayName: 'Isaac Brock',
    email: 'isaac@example.com',
    login: 'isaac.brock@example.com',
    title: 'Singer',
    employeeNumber: '7',
    department: 'Music',
    mobilePhone: null,
  },
  credentials: { password: {}, provider: { type: 'OKTA', name: 'OKTA' } },
};

afterEach(() => {
  for (const api of all) {
    api.clear();
    api.answerSize(3);
    api.server.serve((asked) => api.answer(asked));
  }
});

describe('the Okta connector for users', () => {
  it('maps users without a configured mapping', async () => {
    users.set(isaac);
    const connector = createConnector({
      type: 'okta',
      records: 'user',
      config: { url: users.origin },
      secrets: { token: users.secrets[0] ?? '' },
      allowedCidrs: loopback,
      sourcesDir: '.',
    });
    const { records } = await read(connector, { pageSize: 10 });
    expect(records).toEqual([
      {
        external_id: isaac.id,
        fields: {
          user_principal_name: ['isaac.brock@example.com'],
          display_name: ['Isaac Brock'],
          email: ['isaac@example.com'],
          first_name: ['Isaac'],
          last_name: ['Brock'],
          job_title: ['Singer'],
          employee_number: ['7'],
          departments: ['Music'],
          status: ['active'],
        },
      },
    ]);
  });

  it.each([
    ['STAGED', 'pending', 'disabled'],
    ['PROVISIONED', 'pending', 'disabled'],
    ['ACTIVE', 'active', 'active'],
    ['RECOVERY', 'active', 'active'],
    ['PASSWORD_EXPIRED', 'active', 'active'],
    ['LOCKED_OUT', 'active', 'locked'],
    ['SUSPENDED', 'suspended', 'disabled'],
    ['DEPROVISIONED', 'inactive', 'disabled'],
  ])('maps the status %s to %s for users and %s for accounts', async (status, person, account) => {
    users.set({ ...isaac, status });
    accounts.set({ ...isaac, status });
    expect((await read(users.connector(), { pageSize: 10 })).records[0]?.fields.status).toEqual([person]);
    expect((await read(accounts.connector(), { pageSize: 10 })).records[0]?.fields.status).toEqual([account]);
  });

  it('can omit deactivated users and then reports them as deleted', async () => {
    present.set(isaac);
    present.set({ ...isaac, id: 'old', status: 'DEPROVISIONED' });
    const full = await read(present.connector(), { pageSize: 10 });
    expect(full.records.map(({ external_id }) => external_id)).toEqual([isaac.id]);
    present.set({ ...isaac, status: 'DEPROVISIONED' });
    const since = full.pages.at(-1)?.checkpoint;
    const { pages } = await read(present.connector(), { pageSize: 10, since });
    expect(pages.flatMap(({ records }) => records)).toEqual([]);
    expect(pages.flatMap(({ removed }) => removed)).toContain(isaac.id);
  });

  it('requests changes since the start of the last read by the clock of Okta', async () => {
    users.set(isaac);
    const since = (await read(users.connector(), { pageSize: 10 })).pages.at(-1)?.checkpoint;
    expect(since).toEqual({ started: expect.stringMatching(/^2026-/) });
    users.set({ ...isaac, id: 'new' });
    const { records } = await read(users.connector(), { pageSize: 10, since });
    expect(records.map(({ external_id }) => external_id)).toContain('new');
    const filter = users.server.asked.at(-1)?.url.searchParams.get('filter') ?? '';
    const asked = Date.parse(/gt "([^"]+)"/.exec(filter)?.[1] ?? '');
    expect(asked).toBe(Date.parse(String(since?.started)) - 300_000);
  });

  it('fails when a full page has no links', async () => {
    users.answerSize(200);
    for (let n = 0; n < 200; n += 1) users.set({ ...isaac, id: `u${n}` });
    users.server.serve((asked) => {
      const { link: _, ...headers } = users.answer(asked).headers ?? {};
      return { ...users.answer(asked), headers };
    });
    await expect(read(users.connector(), { pageSize: 500 })).rejects.toThrow('with a full page but without links');
  });

  it('follows the rate limit headers', async () => {
    for (let n = 0; n < 4; n += 1) users.set({ ...isaac, id: `u${n}` });
    users.remain(3);
    const began = performance.now();
    await read(users.connector(), { pageSize: 10 });
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(users.server.asked).toHaveLength(2);
  });
});

describe('the Okta connector with mapped groups', () => {
  it('reads all groups of each user and makes every read a full one', async () => {
    const group = (id: string, name: string) => ({ id, profile: { name, description: null }, type: 'OKTA_GROUP' });
    grouped.set(isaac);
    grouped.set({ ...isaac, id: 'alone' });
    grouped.relate(
      `/api/v1/users/${isaac.id}/groups`,
      ['d', 'c', 'b', 'a'].map((name, n) => group(`g${n}`, name)),
    );
    grouped.relate('/api/v1/users/alone/groups', []);
    const { records, pages } = await read(grouped.connector(), { pageSize: 10 });
    expect(records.map(({ fields }) => fields.groups)).toEqual([['a', 'b', 'c', 'd'], []]);
    expect(grouped.connector().reportsChanges).toBe(false);
    expect(pages.at(-1)?.checkpoint).toBeUndefined();
    const since = { started: '2026-01-01T00:00:00.000Z' };
    await expect(read(grouped.connector(), { pageSize: 5, since })).rejects.toBeInstanceOf(CheckpointExpired);
  });
});

describe('the Okta connector for service apps', () => {
  it('reads service apps as machine identities, but no apps that sign users in', async () => {
    const app = (id: string, application_type: string, grant_types: string[]) => ({
      id,
      name: 'oidc_client',
      label: `App ${id}`,
      status: 'ACTIVE',
      created: '2024-01-01T00:00:00.000Z',
      signOnMode: 'OPENID_CONNECT',
      credentials: { oauthClient: { client_id: `client-${id}`, token_endpoint_auth_method: 'private_key_jwt' } },
      settings: { oauthClient: { application_type, grant_types } },
    });
    apps.set(app('1', 'service', ['client_credentials']));
    apps.set(app('2', 'web', ['authorization_code']));
    apps.set({ ...app('3', 'web', ['authorization_code', 'client_credentials']), status: 'INACTIVE' });
    apps.set({ id: '4', label: 'SAML', status: 'ACTIVE', signOnMode: 'SAML_2_0', settings: {} });
    const { records } = await read(apps.connector(), { pageSize: 10 });
    expect(records.map(({ external_id, fields }) => [external_id, fields.account_id, fields.status])).toEqual([
      ['1', ['client-1'], ['active']],
      ['3', ['client-3'], ['disabled']],
    ]);
    expect(records[0]?.fields.classification).toEqual(['oauth_app']);
  });
});

describe('the Okta connector authenticated as a service app', () => {
  it('signs an assertion with its key and renews a rejected token', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    let given = 0;
    users.set(isaac);
    users.server.serve((asked) => {
      if (asked.url.pathname === '/oauth2/v1/token') {
        const form = new URLSearchParams(asked.body);
        const [head = '', claims = '', signature = ''] = (form.get('client_assertion') ?? '').split('.');
        const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
        expect(parse(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
        expect(parse(claims)).toMatchObject({ iss: 'client', sub: 'client', aud: `${users.origin}/oauth2/v1/token` });
        const signed = Buffer.from(`${head}.${claims}`);
        expect(verify('sha256', signed, createPublicKey(publicKey), Buffer.from(signature, 'base64url'))).toBe(true);
        expect(form.get('scope')).toBe('okta.users.read okta.groups.read');
        given += 1;
        return {
          body: { token_type: 'Bearer', expires_in: 3600, access_token: `token${given}`, scope: 'okta.users.read' },
        };
      }
      if (asked.headers.authorization !== 'Bearer token2') return { status: 401, body: { errorCode: 'E0000011' } };
      return users.answer({ ...asked, headers: { authorization: `SSWS ${users.secrets[0]}` } });
    });
    const config = { url: users.origin, client_id: 'client', key_id: 'k1', deprovisioned: true, external_id: 'id' };
    const access = { secrets: { private_key: privateKey }, allowedCidrs: loopback, limits: quick };
    expect((await read(oktaConnector('user', config, access), { pageSize: 10 })).records).toHaveLength(1);
    expect(given).toBe(2);
    const broken = oktaConnector('user', config, { ...access, secrets: { private_key: 'no key at all' } });
    await expect(read(broken, { pageSize: 10 })).rejects.toThrow(
      'the secret "private_key" does not contain a private key in PEM format',
    );
    await expect(read(oktaConnector('user', config, { ...access, secrets: {} }), { pageSize: 10 })).rejects.toThrow(
      'is missing',
    );
  });
});

describe('reading one user of Okta', () => {
  const many = (api: (typeof all)[number]) => {
    for (let n = 0; n < 7; n += 1)
      api.put({ id: `id/${n} ä`, login: `id/${n} ä@okta.example`, name: `Name ${n}`, enabled: n % 2 === 0 });
  };

  it('returns the same result as a full read, with the groups', async () => {
    many(grouped);
    grouped.relate('/api/v1/users/id%2F2%20%C3%A4/groups', [{ id: 'g', profile: { name: 'Singers' } }]);
    for (const n of [0, 1, 3, 4, 5, 6]) grouped.relate(`/api/v1/users/id%2F${n}%20%C3%A4/groups`, []);
    expect(await expectEachAlone(grouped.connector())).toHaveLength(7);
    expect(await readOne(grouped.connector(), 'id/2 ä')).toMatchObject({
      record: { fields: { groups: ['Singers'] }, memberships: [{ id: 'g', name: 'Singers' }] },
    });
  });

  it('returns absent for a login, and for a deactivated user that is not selected', async () => {
    present.set({ ...isaac, status: 'DEPROVISIONED' });
    present.put({ id: 'id1', login: 'id1@okta.example', name: 'Ann', enabled: true });
    expect(await expectEachAlone(present.connector(), [isaac.id, 'id1@okta.example'])).toEqual(['id1']);
  });

  it('reads all users if another attribute is the id', async () => {
    many(named);
    expect(await expectEachAlone(named.connector(), ['id/1 ä'])).toHaveLength(7);
  });

  it('fails instead of returning absent when the URL is wrong or the response is no user', async () => {
    users.server.serve(() => ({ status: 404, body: { errorCode: 'E0000007', errorSummary: 'Not found' } }));
    await expect(readOne(users.connector(), 'id1')).rejects.toThrow(SourceError);
    users.server.serve(() => ({ status: 404, body: {} }));
    await expect(readOne(users.connector(), 'id1')).rejects.toThrow(SourceError);
    users.server.serve(() => ({ body: {} }));
    await expect(readOne(users.connector(), 'id1')).rejects.toThrow('without an id');
  });
});
