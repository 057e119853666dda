import { afterEach, describe, expect, it } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import { access, entraServer, entraUnderTest, minimal } from '../../test/entra-server.js';
import { loopback } from '../../test/http-server.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { read } from '../../test/reading.js';
import { CheckpointExpired, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';

conforms(entraUnderTest());

const users = entraServer();
const apps = entraServer('machine_identity');
const grouped = entraServer('user', { fields: { display_name: 'displayName', groups: '@groups' } });
const members = entraServer('user', { user_types: ['member'] });
const misnamed = entraServer('account', { fields: { identifier: '@owners' } });
for (const api of [users, apps, grouped, members]) api.server.serve((asked) => api.answer(asked));

const ann = {
  id: 'a1',
  accountEnabled: false,
  userPrincipalName: 'ann@contoso.example',
  displayName: 'Ann Moss',
  mail: 'Ann.Moss@contoso.example',
  givenName: 'Ann',
  surname: 'Moss',
  jobTitle: 'Engineer',
  employeeId: '0042',
  department: 'R&D',
  employeeHireDate: '2020-02-03T00:00:00Z',
  userType: 'Member',
};

afterEach(() => {
  for (const api of [users, apps, grouped]) {
    api.clear();
    api.server.serve((asked) => api.answer(asked));
  }
});

describe('the Entra connector for users', () => {
  it('maps users without a configured mapping', async () => {
    users.set(ann);
    const { pages } = await read(
      createConnector({
        type: 'entra',
        records: 'user',
        config: minimal(users.origin),
        secrets: access().secrets,
        allowedCidrs: loopback,
        sourcesDir: '.',
      }),
      { pageSize: 10 },
    );
    expect(pages).toMatchObject([{ last: true, errors: [] }]);
    expect(pages[0]?.records).toEqual([
      {
        external_id: 'a1',
        fields: {
          user_principal_name: ['ann@contoso.example'],
          display_name: ['Ann Moss'],
          email: ['Ann.Moss@contoso.example'],
          first_name: ['Ann'],
          last_name: ['Moss'],
          job_title: ['Engineer'],
          employee_number: ['0042'],
          departments: ['R&D'],
          hire_date: ['2020-02-03T00:00:00.000Z'],
          status: ['inactive'],
        },
      },
    ]);
    const select = users.server.asked.at(-1)?.url.searchParams.get('$select');
    expect(select?.split(',')).toEqual(expect.arrayContaining(['id', 'accountEnabled', 'employeeId', 'userType']));
    expect(select).not.toContain('@');
  });

  it('reports users as deleted when their type is no longer selected', async () => {
    members.set(ann);
    members.set({ ...ann, id: 'g', userType: 'Guest' });
    const full = await read(members.connector(), { pageSize: 10 });
    expect(full.records.map(({ external_id }) => external_id)).toEqual(['a1']);
    members.set({ ...ann, userType: 'Guest' });
    const since = full.pages.at(-1)?.checkpoint;
    const { pages } = await read(members.connector(), { pageSize: 10, since });
    expect(pages).toMatchObject([{ records: [], removed: ['a1'] }]);
  });

  it('reports deletions during a full read in the next incremental read', async () => {
    users.answerSize(1);
    users.set(ann);
    users.set({ ...ann, id: 'b1' });
    const pages = [];
    for await (const page of users.connector().read({ pageSize: 5, signal: new AbortController().signal })) {
      if (pages.length === 0) users.remove('a1');
      pages.push(page);
    }
    const since = pages.at(-1)?.checkpoint;
    const changes = await read(users.connector(), { pageSize: 5, since });
    expect(changes.pages.flatMap(({ removed }) => removed)).toContain('a1');
  });

  it('reports users without an id as record errors, and leaves out invalid values', async () => {
    users.set({ ...ann, employeeHireDate: 'soon' });
    users.set({ ...ann, id: undefined });
    users.set({ ...ann, id: 'b1' });
    const { pages, records } = await read(users.connector(), { pageSize: 10 });
    expect(records).toMatchObject([
      { external_id: 'a1', problems: [{ field: 'hire_date', said: 'soon' }] },
      { external_id: 'b1' },
    ]);
    expect(pages.flatMap(({ errors }) => errors)).toMatchObject([{ message: 'id (external_id) is missing' }]);
  });

  it.each([
    [400, 'syncStateNotFound'],
    [410, 'Gone'],
    [400, 'Directory_ExpiredPageToken'],
  ])('requires a full read after %i %s', async (status, code) => {
    const since = (await read(users.connector(), { pageSize: 5 })).pages.at(-1)?.checkpoint ?? {};
    users.server.serve((asked) =>
      users.isList(asked) ? { status, body: { error: { code, message: 'expired' } } } : users.answer(asked),
    );
    await expect(read(users.connector(), { pageSize: 5, since })).rejects.toBeInstanceOf(CheckpointExpired);
    await expect(read(users.connector(), { pageSize: 5 })).rejects.toThrow('a new full read is necessary');
  });

  it('fails when a response has neither nextLink nor deltaLink', async () => {
    users.server.serve((asked) => (users.isList(asked) ? { body: { value: [ann] } } : users.answer(asked)));
    await expect(read(users.connector(), { pageSize: 5 })).rejects.toThrow('answered without a nextLink or deltaLink');
  });

  it('stores no checkpoint with a link to another origin', async () => {
    const deltaLink = 'https://elsewhere.example/v1.0/users/delta?$deltatoken=1';
    users.server.serve((asked) =>
      asked.url.pathname.endsWith('/delta')
        ? { body: { value: [ann], '@odata.deltaLink': deltaLink } }
        : users.answer(asked),
    );
    await expect(read(users.connector(), { pageSize: 5 })).rejects.toThrow(
      'a link to another origin, which is not followed',
    );
  });

  it('uses the last state of a user that occurs twice in a response', async () => {
    const since = (await read(users.connector(), { pageSize: 5 })).pages.at(-1)?.checkpoint ?? {};
    const removed = (id: string) => ({ id, '@removed': { reason: 'changed' } });
    const value = [removed('a1'), ann, { ...ann, id: 'b1' }, removed('b1')];
    users.server.serve((asked) =>
      users.isList(asked)
        ? { body: { value, '@odata.deltaLink': `${users.origin}/v1.0/users/delta?$deltatoken=9` } }
        : users.answer(asked),
    );
    const { pages } = await read(users.connector(), { pageSize: 5, since });
    expect(pages).toMatchObject([{ records: [{ external_id: 'a1' }], removed: ['b1'] }]);
  });
});

describe('the Entra connector with mapped groups', () => {
  const path = (id: string) => `/users/${id}/transitiveMemberOf/microsoft.graph.group`;

  it('reads all groups in batches of twenty, with throttled requests repeated', async () => {
    grouped.answerSize(50);
    for (let n = 0; n < 45; n += 1) {
      grouped.set({ ...ann, id: `u${n}` });
      grouped.relate(path(`u${n}`), { value: [{ id: 'g1', displayName: 'Staff' }] });
    }
    const next = '/users/u7/transitiveMemberOf/microsoft.graph.group?$skiptoken=2';
    grouped.relate(path('u7'), {
      value: [{ id: 'g2', displayName: 'Zoo' }],
      '@odata.nextLink': `${grouped.origin}/v1.0${next}`,
    });
    grouped.relate(next, { value: [{ id: 'g3', displayName: 'Art' }] });
    let batches = 0;
    grouped.server.serve((asked) => {
      const reply = grouped.answer(asked);
      if (!asked.url.pathname.endsWith('$batch')) return reply;
      batches += 1;
      if (batches > 1) return reply;
      const { responses } = reply.body as { responses: { id: string }[] };
      const late = { status: 429, headers: { 'Retry-After': '0' }, body: { error: { code: 'TooManyRequests' } } };
      return { body: { responses: responses.map((one) => (Number(one.id) % 2 ? one : { id: one.id, ...late })) } };
    });
    const { records } = await read(grouped.connector(), { pageSize: 50 });
    const groupsOf = new Map(records.map(({ external_id, fields }) => [external_id, fields.groups]));
    expect(groupsOf.size).toBe(45);
    expect(groupsOf.get('u7')).toEqual(['Art', 'Zoo']);
    expect(groupsOf.get('u8')).toEqual(['Staff']);
    expect(records.find(({ external_id }) => external_id === 'u7')?.memberships).toEqual([
      { id: 'g3', name: 'Art' },
      { id: 'g2', name: 'Zoo' },
    ]);
    expect(batches).toBe(4);
  });

  it('makes every read a full one', async () => {
    expect(grouped.connector().reportsChanges).toBe(false);
    grouped.set(ann);
    const { pages } = await read(grouped.connector(), { pageSize: 5 });
    expect(pages.at(-1)?.checkpoint).toBeUndefined();
    await expect(read(grouped.connector(), { pageSize: 5, since: { link: 'x' } })).rejects.toBeInstanceOf(
      CheckpointExpired,
    );
  });

  it('fails when groups may not be read', async () => {
    grouped.set(ann);
    grouped.server.serve((asked) =>
      asked.url.pathname.endsWith('$batch')
        ? { body: { responses: [{ id: '0', status: 403, body: { error: { code: 'Authorization_RequestDenied' } } }] } }
        : grouped.answer(asked),
    );
    await expect(read(grouped.connector(), { pageSize: 5 })).rejects.toThrow('403 (Authorization_RequestDenied)');
    grouped.server.serve((asked) =>
      asked.url.pathname.endsWith('$batch') ? { body: { responses: [] } } : grouped.answer(asked),
    );
    await expect(read(grouped.connector(), { pageSize: 5 })).rejects.toThrow(
      'did not return a response for each request',
    );
    expect(() => misnamed.connector()).toThrow(SourceError);
  });
});

describe('the Entra connector for service principals', () => {
  const own = {
    id: 's1',
    appId: 'app1',
    displayName: 'Nightly export',
    accountEnabled: true,
    servicePrincipalType: 'Application',
    appOwnerOrganizationId: '3d4c1b8e-1b64-4f0e-9d80-6f8d0c4cf001',
    passwordCredentials: [],
    keyCredentials: [
      { keyId: 'k', startDateTime: '2024-05-01T00:00:00Z', endDateTime: '2027-05-01T00:00:00Z', key: null },
    ],
  };

  it('reads machine identities with owner and the times of their credentials', async () => {
    apps.set(own);
    apps.set({ ...own, id: 's2', appId: 'app2', servicePrincipalType: 'ManagedIdentity', keyCredentials: [] });
    apps.set({ ...own, id: 's3', appOwnerOrganizationId: 'f8cdef31-a31e-4b4a-93e4-5f571e91255a' });
    apps.relate('/servicePrincipals/s1/owners', {
      value: [{ '@odata.type': '#microsoft.graph.user', id: 'a1', userPrincipalName: 'ann@contoso.example' }],
    });
    apps.set({ ...own, id: 's4', appId: 'foreign', appOwnerOrganizationId: '0b2d6f0e-9a55-4c6a-8c83-0d1a5f6f0b11' });
    apps.relate('/servicePrincipals/s2/owners', { value: [] });
    apps.relate("/applications(appId='app1')", {
      id: 'o1',
      appId: 'app1',
      passwordCredentials: [
        { hint: 'abc', startDateTime: '2023-01-02T00:00:00Z', endDateTime: '2026-01-02T00:00:00Z' },
      ],
      keyCredentials: [],
    });
    const { records } = await read(apps.connector(), { pageSize: 10 });
    expect(records).toEqual([
      {
        external_id: 's1',
        fields: {
          account_id: ['app1'],
          display_name: ['Nightly export'],
          classification: ['oauth_app'],
          owned_by: ['ann@contoso.example'],
          status: ['active'],
          'attributes.service_principal_type': ['Application'],
          'attributes.app_owner_tenant': ['3d4c1b8e-1b64-4f0e-9d80-6f8d0c4cf001'],
          'attributes.secret_created_at': ['2023-01-02T00:00:00Z'],
          'attributes.secret_expires_at': ['2026-01-02T00:00:00Z'],
        },
      },
      expect.objectContaining({
        external_id: 's2',
        fields: expect.objectContaining({
          classification: ['workload'],
          owned_by: [],
          'attributes.secret_created_at': [],
        }),
      }),
      expect.objectContaining({ external_id: 's4' }),
    ]);
    const bodies = apps.server.asked.map(({ body }) => body).join();
    expect(bodies).toContain("/applications(appId='app1')");
    expect(bodies).not.toContain("/applications(appId='foreign')");
  });
});

describe('reading one object of Entra ID', () => {
  it('returns the same result as a full read, and absent for a name or an unselected guest', async () => {
    for (const api of [users, members]) {
      api.set(ann);
      api.set({ ...ann, id: 'guest', userType: 'Guest' });
      for (let n = 0; n < 5; n += 1)
        api.put({ id: `id${n}`, login: `login${n}`, name: `Name ${n}`, enabled: n % 2 === 0 });
    }
    users.remove('id3');
    expect(await expectEachAlone(users.connector(), ['id3', 'nobody', ann.userPrincipalName])).toHaveLength(6);
    expect(await expectEachAlone(members.connector(), ['guest'])).toHaveLength(6);
    members.clear();
  });

  it('includes its related data', async () => {
    grouped.set(ann);
    const groups = { value: [{ id: 'g1', displayName: 'Staff' }] };
    grouped.relate('/users/a1/transitiveMemberOf/microsoft.graph.group', groups);
    expect(await expectEachAlone(grouped.connector())).toEqual(['a1']);
    expect(await readOne(grouped.connector(), 'a1')).toMatchObject({ record: { fields: { groups: ['Staff'] } } });
  });

  it('fails instead of returning absent when the URL is wrong', async () => {
    const nothing = { status: 404, body: { error: { code: 'Request_ResourceNotFound', message: 'no' } } };
    users.server.serve((asked) => (users.isToken(asked) ? users.answer(asked) : nothing));
    await expect(readOne(users.connector(), 'a1')).rejects.toThrow(SourceError);
  });
});
