import { jumpcloudConfig, type RecordKind } from '@idsync/contracts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import type { Person, Spoiled } from '../../test/conformance/source-under-test.js';
import { type Asked, loopback, type Reply, testServer } from '../../test/http-server.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { read } from '../../test/reading.js';
import { CheckpointExpired, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import { jumpcloudConnector } from './jumpcloud-connector.js';

type User = Record<string, unknown>;

const server = testServer();
const apiKey = 'jumpcloud-k3y';
let users: User[] = [];
let size = 3;

/** The list and single users as the OpenAPI document of JumpCloud describes them. */
function answer({ url, headers }: Asked): Reply {
  if (headers['x-api-key'] !== apiKey) return { status: 401, body: { message: 'Unauthorized' } };
  const [, root, one] = /^(\/api\/systemusers)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  if (root === undefined) return { status: 404, body: { message: 'Not Found' } };
  if (one !== undefined) {
    const user = users.find(({ _id }) => _id === decodeURIComponent(one));
    return user ? { body: user } : { status: 404, body: { message: 'Not Found' } };
  }
  const query = (name: string) => url.searchParams.get(name) ?? '';
  const [, after = ''] = /^_id:\$gt:(.+)$/.exec(query('filter')) ?? [];
  const sorted = users
    .filter(({ _id }) => after === '' || String(_id ?? '') > after)
    .sort((a, b) => (String(a._id ?? '') < String(b._id ?? '') ? -1 : 1));
  if (query('sort').startsWith('-')) sorted.reverse();
  return { body: { results: sorted.slice(0, Math.min(size, Number(query('limit')))), totalCount: sorted.length } };
}

function open(records: RecordKind = 'user', config: object = {}) {
  const access = { secrets: { api_key: apiKey }, allowedCidrs: loopback, limits: quick };
  return jumpcloudConnector(records, jumpcloudConfig.parse({ url: server.origin, ...config }), access);
}

const userOf = ({ id, login, name, enabled }: Person): User => ({
  _id: id,
  username: login,
  displayname: name,
  state: enabled ? 'ACTIVATED' : 'SUSPENDED',
  suspended: !enabled,
});
const fill = (people: readonly Person[]) => {
  users = people.map(userOf);
};
const spoiled =
  (user: User): Spoiled =>
  (people) => {
    fill(people);
    users.push(user);
    return open();
  };
const withResults = (reply: Reply, results: unknown) => ({ ...reply, body: { ...(reply.body as object), results } });

conforms({
  name: 'jumpcloud',
  open,
  fill,
  emptySource: 'complete',
  secrets: [apiKey],
  discovers: ['_id', 'username', 'displayname', '@status'],
  readsOne: { unknownId: 'nobody' },
  changes: { unsupported: 'its users have no time of change' },
  bad: {
    withoutId: spoiled({ username: 'nobody' }),
    ofWrongType: spoiled({ _id: { of: 'an object' }, username: 'nobody' }),
    tooLarge: spoiled({ _id: 'large', displayname: 'x'.repeat(20_000) }),
  },
  reached: {
    over: 'http',
    server,
    answer,
    listOf: ({ url }) => url.pathname,
    answerSize(items) {
      size = items;
    },
    renewal: { unsupported: 'its API key cannot be renewed' },
    invalidResponses: {
      withoutList: (reply) => withResults(reply, undefined),
      emptied: (reply) => withResults(reply, []),
      repeating: {
        unsupported: 'users that are not in the order of their ids are an error, because others may be missing',
      },
      emptyBefore: { unsupported: 'the next request continues after an id, not at a cursor of the response' },
      leadingTo: { unsupported: 'its pages continue after an id, not at links' },
      expired: { unsupported: 'an id does not expire' },
    },
  },
});

const ann = {
  _id: '65a1b2c3d4e5f60718293a4b',
  username: 'ann',
  displayname: 'Ann Moss',
  firstname: 'Ann',
  lastname: 'Moss',
  email: 'ann@example.com',
  employeeIdentifier: '1001',
  jobTitle: 'Engineer',
  department: 'R&D',
  manager: '65a1b2c3d4e5f60718293a00',
  location: 'Oslo',
  company: 'Acme',
  employeeType: 'Permanent',
  phoneNumbers: [
    { type: 'home', number: '1' },
    { type: 'work', number: '+47 22 00 00 01' },
  ],
  attributes: [{ name: 'costCode', value: 'C7' }],
  password_date: '2026-01-31T00:00:00.000Z',
  state: 'ACTIVATED',
  suspended: false,
  activated: true,
  account_locked: false,
};

afterEach(() => {
  size = 3;
  users = [];
  server.serve(answer);
});

describe('the JumpCloud connector', () => {
  it('maps people without a configured mapping', async () => {
    users = [ann];
    server.serve(answer);
    const connector = createConnector({
      type: 'jumpcloud',
      records: 'user',
      config: { url: server.origin, organization_id: '5a1234567890abcdef123456' },
      secrets: { api_key: apiKey },
      allowedCidrs: loopback,
      sourcesDir: '.',
    });
    expect((await read(connector, { pageSize: 10 })).records).toEqual([
      {
        external_id: ann._id,
        fields: {
          user_principal_name: ['ann'],
          display_name: ['Ann Moss'],
          email: ['ann@example.com'],
          first_name: ['Ann'],
          last_name: ['Moss'],
          job_title: ['Engineer'],
          employee_number: ['1001'],
          status: ['active'],
          departments: ['R&D'],
          manager_id: [ann.manager],
          'attributes.location': ['Oslo'],
          'attributes.company': ['Acme'],
          'attributes.employee_type': ['Permanent'],
          'attributes.phone': ['+47 22 00 00 01'],
        },
      },
    ]);
    expect(server.asked.at(-1)?.headers['x-org-id']).toBe('5a1234567890abcdef123456');
  });

  it.each([
    [{}, 'active', 'active'],
    [{ state: undefined }, 'active', 'active'],
    [{ state: 'STAGED' }, 'pending', 'disabled'],
    [{ state: 'SUSPENDED' }, 'suspended', 'disabled'],
    [{ state: undefined, suspended: true }, 'suspended', 'disabled'],
    [{ activated: false }, 'active', 'disabled'],
    [{ account_locked: true }, 'active', 'locked'],
    [{ state: undefined, suspended: undefined }, undefined, undefined],
  ])('maps %j to %s for people and %s for accounts', async (what, person, account) => {
    users = [{ ...ann, ...what }];
    server.serve(answer);
    const statusOf = async (records: RecordKind) => (await read(open(records))).records[0]?.fields.status?.[0];
    expect([await statusOf('user'), await statusOf('account')]).toEqual([person, account]);
  });

  it('reports an unknown state', async () => {
    users = [{ ...ann, state: 'ARCHIVED' }];
    server.serve(answer);
    for (const records of ['user', 'account'] as const) {
      expect((await read(open(records))).errors).toMatchObject([{ external_id: ann._id, said: 'ARCHIVED' }]);
    }
  });

  it('reads custom attributes by name', async () => {
    users = [ann];
    server.serve(answer);
    const fields = { 'attributes.cost_code': 'attributes[name=costCode].value' };
    expect((await read(open('account', { fields }))).records[0]?.fields).toEqual({ 'attributes.cost_code': ['C7'] });
  });

  it('misses no user when others are deleted and created during the read', async () => {
    fill(['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, login: id, name: id, enabled: true })));
    size = 2;
    server.serve((asked) => {
      const reply = answer(asked);
      if (asked.url.searchParams.get('filter') === null && asked.url.searchParams.get('sort') === '_id') {
        users = users.filter(({ _id }) => _id !== 'a');
        users.push({ _id: 'f', username: 'f' });
      }
      return reply;
    });
    const { records } = await read(open(), { pageSize: 2 });
    expect(records.map(({ external_id }) => external_id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it.each([
    ['the last user is', ['c']],
    ['all users are', ['a', 'b', 'c']],
  ])('ends if %s deleted after being read', async (_, deleted) => {
    fill(['a', 'b', 'c'].map((id) => ({ id, login: id, name: id, enabled: true })));
    server.serve((asked) => {
      if (asked.url.searchParams.has('filter')) users = users.filter(({ _id }) => !deleted.includes(String(_id)));
      return answer(asked);
    });
    const { records } = await read(open());
    expect(records.map(({ external_id }) => external_id)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['ignores the filter', ({ url, ...asked }: Asked) => answer({ ...asked, url: without(url, 'filter') })],
    [
      'finds nothing after an id',
      (asked: Asked) =>
        asked.url.searchParams.has('filter') ? { body: { results: [], totalCount: 0 } } : answer(asked),
    ],
    [
      'ignores the order',
      (asked: Asked) => {
        const { results } = answer(asked).body as { results: unknown[] };
        return { body: { results: results.toReversed() } };
      },
    ],
    [
      'ignores the sign of the order and finds nothing after an id',
      (asked: Asked) => {
        if (asked.url.searchParams.has('filter')) return { body: { results: [], totalCount: 0 } };
        return answer({ ...asked, url: without(asked.url, 'sort') });
      },
    ],
  ])('fails if the API %s', async (_, wrong) => {
    fill(['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, login: id, name: id, enabled: true })));
    server.serve(wrong);
    await expect(read(open())).rejects.toThrow(SourceError);
  });

  it('reads each user alone, and with another external id by a full read', async () => {
    users = [ann, { ...ann, _id: 'b', username: 'bob' }];
    server.serve(answer);
    expect(await expectEachAlone(open())).toEqual([ann._id, 'b']);
    expect(await expectEachAlone(open('account', { external_id: 'username' }))).toEqual(['ann', 'bob']);
  });

  it('does not count a 404 of another service as an absent user', async () => {
    server.serve(() => ({ status: 404, body: { message: 'Not Found' } }));
    await expect(readOne(open(), 'nobody')).rejects.toThrow(SourceError);
  });

  it('has no incremental reads and no machine identities', async () => {
    await expect(read(open(), { since: { position: 1 } })).rejects.toThrow(CheckpointExpired);
    expect(() => open('machine_identity')).toThrow('JumpCloud has no machine identities');
  });
});

function without(url: URL, name: string): URL {
  const rest = new URL(url);
  rest.searchParams.delete(name);
  return rest;
}
