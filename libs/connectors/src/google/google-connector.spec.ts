import { afterEach, describe, expect, it } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import { googleServer, googleUnderTest, subject } from '../../test/google-server.js';
import { loopback } from '../../test/http-server.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { read } from '../../test/reading.js';
import { CheckpointExpired, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import { googleConnector } from './google-connector.js';

conforms(googleUnderTest());

const users = googleServer();
const accounts = googleServer('account');
const withDeleted = googleServer('user', { deleted: true });
const grouped = googleServer('user', { fields: { groups: '@groups' } });
const all = [users, accounts, withDeleted, grouped];
for (const api of all) api.server.serve((asked) => api.answer(asked));

const liz = {
  id: '107',
  primaryEmail: 'liz@example.com',
  name: { givenName: 'Elizabeth', familyName: 'Smith', fullName: 'Elizabeth Smith' },
  isAdmin: false,
  lastLoginTime: '2026-02-05T10:30:03.325Z',
  creationTime: '2020-02-05T17:30:04.325Z',
  suspended: false,
  archived: false,
  externalIds: [
    { value: 'x', type: 'custom', customType: 'other' },
    { value: '12345', type: 'organization' },
  ],
  organizations: [
    { title: 'Former', department: 'Ops' },
    { title: 'SWE', primary: true, department: 'R&D' },
  ],
  orgUnitPath: '/corp/engineering',
  isEnrolledIn2Sv: true,
};

afterEach(() => {
  for (const api of all) {
    api.clear();
    api.answerSize(3);
    api.server.serve((asked) => api.answer(asked));
  }
});

describe('the Google connector for users', () => {
  it('maps users without a configured mapping', async () => {
    users.set(liz);
    const connector = createConnector({
      type: 'google',
      records: 'user',
      config: { subject, url: users.origin },
      secrets: { service_account_key: users.key() },
      allowedCidrs: loopback,
      sourcesDir: '.',
    });
    const { records } = await read(connector, { pageSize: 10 });
    expect(records.find(({ external_id }) => external_id === '107')).toEqual({
      external_id: '107',
      fields: {
        user_principal_name: ['liz@example.com'],
        display_name: ['Elizabeth Smith'],
        email: ['liz@example.com'],
        first_name: ['Elizabeth'],
        last_name: ['Smith'],
        job_title: ['SWE'],
        departments: ['Ops', 'R&D'],
        employee_number: ['12345'],
        status: ['active'],
        'attributes.org_unit': ['/corp/engineering'],
      },
    });
    expect(users.claims).toMatchObject({
      alg: 'RS256',
      kid: 'k1',
      iss: 'reader@project.iam.gserviceaccount.com',
      sub: subject,
      aud: `${users.origin}/token`,
      scope: 'https://www.googleapis.com/auth/admin.directory.user.readonly',
    });
    const asked = Object.fromEntries(users.server.asked.at(-1)?.url.searchParams ?? []);
    expect(asked).toEqual({ customer: 'my_customer', projection: 'full', orderBy: 'email', maxResults: '500' });
  });

  it.each([
    [{}, 'active', 'active'],
    [{ suspended: true }, 'suspended', 'disabled'],
    [{ archived: true }, 'inactive', 'disabled'],
    [{ archived: true, suspended: true }, 'inactive', 'disabled'],
  ])('maps %j to %s for users and %s for accounts', async (what, person, account) => {
    for (const api of [users, accounts]) api.set({ ...liz, ...what });
    expect((await read(users.connector(), { pageSize: 10 })).records[1]?.fields.status).toEqual([person]);
    expect((await read(accounts.connector(), { pageSize: 10 })).records[1]?.fields.status).toEqual([account]);
  });

  it('can read deleted users before existing ones', async () => {
    withDeleted.set({ ...liz, deletionTime: '2026-01-01T00:00:00.000Z' });
    for (const pageSize of [1, 10]) {
      const { records, pages } = await read(withDeleted.connector(), { pageSize });
      expect(records.map(({ external_id, fields }) => [external_id, fields.status])).toEqual([
        ['107', ['deleted']],
        ['100', ['active']],
      ]);
      const rest = await read(withDeleted.connector(), { pageSize, cursor: pages[0]?.cursor ?? {} });
      expect(rest.records.map(({ external_id }) => external_id)).toEqual(['100']);
    }
    withDeleted.clear();
    expect((await read(withDeleted.connector(), { pageSize: 10 })).records).toHaveLength(1);
  });

  it('retries a 403 for too many requests, but no other 403', async () => {
    const refusal = (reason: string) => ({
      status: 403,
      body: { error: { code: 403, message: 'no', errors: [{ reason }] } },
    });
    let calls = 0;
    users.server.serve((asked) => {
      if (!users.isList(asked)) return users.answer(asked);
      calls += 1;
      return calls === 1 ? refusal('userRateLimitExceeded') : users.answer(asked);
    });
    expect((await read(users.connector(), { pageSize: 10 })).records).toHaveLength(1);
    users.server.serve((asked) => (users.isList(asked) ? refusal('forbidden') : users.answer(asked)));
    await expect(read(users.connector(), { pageSize: 10 })).rejects.toThrow('answered 403');
    expect(users.server.asked.filter(users.isList)).toHaveLength(1);
  });

  it('rejects an empty list, because there is always an administrator', async () => {
    users.server.serve((asked) =>
      users.isList(asked) ? { body: { kind: 'admin#directory#users', etag: '"e"' } } : users.answer(asked),
    );
    await expect(read(users.connector(), { pageSize: 10 })).rejects.toThrow('without a list "users"');
  });

  it('makes every read a full one', async () => {
    expect(users.connector().reportsChanges).toBe(false);
    await expect(read(users.connector(), { pageSize: 10, since: {} })).rejects.toBeInstanceOf(CheckpointExpired);
  });
});

describe('the Google connector with mapped groups', () => {
  it('reads all groups of each user', async () => {
    grouped.set(liz);
    grouped.relate('107', ['d', 'c', 'b', 'a']);
    const { records } = await read(grouped.connector(), { pageSize: 10 });
    expect(records.map(({ fields }) => fields.groups)).toEqual([[], ['a', 'b', 'c', 'd']]);
    expect(grouped.claims.scope).toContain('admin.directory.group.readonly');
  });
});

describe('the configuration of a Google connector', () => {
  const config = { subject, customer: 'my_customer', deleted: false, url: 'https://google.test', external_id: 'id' };
  const access = { secrets: {}, allowedCidrs: loopback, limits: quick };

  it('requires a service account key, which no error exposes', async () => {
    for (const key of [
      '{"private_key":"hush"',
      '{}',
      JSON.stringify({ ...JSON.parse(users.key()), private_key: 'hush' }),
    ]) {
      const connector = googleConnector('user', config, { ...access, secrets: { service_account_key: key } });
      const error = await read(connector, { pageSize: 5 }).catch((thrown: Error) => thrown);
      expect(String(error)).toContain('the secret "service_account_key"');
      expect(String(error)).not.toContain('hush');
    }
  });

  it('rejects machine identities', () => {
    expect(() => googleConnector('machine_identity', config, access)).toThrow('machine identities are not supported');
  });
});

describe('reading one user of Google Workspace', () => {
  it('returns the same result as a full read, with groups, and absent for an address', async () => {
    grouped.set(liz);
    for (let n = 0; n < 5; n += 1)
      grouped.put({ id: `id${n}`, login: `login${n}`, name: `Name ${n}`, enabled: n % 2 === 0 });
    grouped.relate(liz.id, ['Engineers', 'All']);
    expect(await expectEachAlone(grouped.connector(), ['nobody', liz.primaryEmail])).toHaveLength(7);
    expect(await readOne(grouped.connector(), liz.id)).toMatchObject({
      record: { fields: { groups: ['All', 'Engineers'] } },
    });
  });

  it('finds a deleted user if deleted users are selected', async () => {
    withDeleted.set({ ...liz, deletionTime: '2026-01-01T00:00:00.000Z' });
    expect(await expectEachAlone(withDeleted.connector())).toContain(liz.id);
  });

  it('fails instead of returning absent when the URL is wrong', async () => {
    users.server.serve((asked) => (users.isToken(asked) ? users.answer(asked) : { status: 404, body: 'nothing here' }));
    await expect(readOne(users.connector(), '1')).rejects.toThrow(SourceError);
  });
});
