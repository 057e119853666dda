import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { type GoogleConfig, googleConfig, type RecordKind } from '@idsync/contracts';
import { googleConnector } from '../src/google/google-connector.js';
import { quick } from './conformance/readings.js';
import type { Person, SourceUnderTest } from './conformance/source-under-test.js';
import { type Asked, loopback, type Reply, testServer } from './http-server.js';

const token = 'ya29.google-t0ken';
const email = 'reader@project.iam.gserviceaccount.com';
export const subject = 'admin@example.com';
const admin = {
  kind: 'admin#directory#user',
  id: '100',
  name: { fullName: 'The Admin' },
  primaryEmail: subject,
  isAdmin: true,
  suspended: false,
};
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

type Resource = Record<string, unknown>;

/** Serves the user and group lists of the Directory API from memory, and the token endpoint. */
export function googleServer(records: RecordKind = 'user', config: Partial<GoogleConfig> = {}) {
  const server = testServer();
  const stored = new Map<string, Resource>();
  const groups = new Map<string, Resource[]>();
  let size = 3;

  function list({ url }: Asked, name: 'users' | 'groups', all: Resource[]): Reply {
    const start = Number((url.searchParams.get('pageToken') ?? 'p0').split('~')[0]?.slice(1));
    const limit = Math.min(size, Number(url.searchParams.get('maxResults') ?? 100));
    const found = all.slice(start, start + limit);
    return {
      body: {
        kind: `admin#directory#${name}`,
        etag: '"e"',
        // The API omits an empty list.
        ...(found.length > 0 && { [name]: found }),
        ...(all.length > start + limit && { nextPageToken: `p${start + limit}` }),
      },
    };
  }

  const fixture = {
    server,
    get origin() {
      return server.origin;
    },
    secrets: [token, privateKey.slice(40, 90)],
    claims: {} as Resource,
    key: () =>
      JSON.stringify({
        type: 'service_account',
        project_id: 'project',
        private_key_id: 'k1',
        private_key: privateKey,
        client_email: email,
        client_id: '1',
        token_uri: `${server.origin}/token`,
      }),
    set: (resource: Resource) => void stored.set(String(resource.id), { kind: 'admin#directory#user', ...resource }),
    relate: (userKey: string, names: string[]) =>
      void groups.set(
        userKey,
        names.map((name) => ({ kind: 'admin#directory#group', name })),
      ),
    put({ id, login, name, enabled }: Person) {
      const [givenName, familyName] = name.split(' ');
      fixture.set({
        id,
        primaryEmail: `${login}@example.com`,
        name: { givenName, familyName, fullName: name },
        suspended: !enabled,
        archived: false,
      });
    },
    remove: (id: string) => void stored.delete(id),
    clear() {
      stored.clear();
      groups.clear();
    },
    answerSize(items: number) {
      size = items;
    },
    connector: () =>
      googleConnector(records, googleConfig.parse({ subject, url: server.origin, ...config }), {
        secrets: { service_account_key: fixture.key() },
        allowedCidrs: loopback,
        limits: quick,
      }),
    answer(asked: Asked): Reply {
      const { pathname, searchParams } = asked.url;
      if (fixture.isToken(asked)) return grant(asked);
      if (asked.headers.authorization !== `Bearer ${token}`) {
        return {
          status: 401,
          body: { error: { code: 401, message: 'Invalid Credentials', status: 'UNAUTHENTICATED' } },
        };
      }
      const wanted = searchParams.get('showDeleted') === 'true';
      const users = [admin as Resource, ...stored.values()]
        .filter(({ deletionTime }) => (deletionTime !== undefined) === wanted)
        .sort((one, two) => (String(one.primaryEmail) < String(two.primaryEmail) ? -1 : 1));
      if (pathname === '/admin/directory/v1/users') return list(asked, 'users', users);
      if (pathname === '/admin/directory/v1/groups') {
        return list(asked, 'groups', groups.get(searchParams.get('userKey') ?? '') ?? []);
      }
      const named = decodeURIComponent(/\/users\/([^/]+)$/.exec(pathname)?.[1] ?? '');
      const one = users.find(({ id, primaryEmail }) => id === named || primaryEmail === named);
      if (one) return { body: one };
      return { status: 404, body: { error: { code: 404, message: 'Not Found' } } };
    },
    isList: ({ url }: Asked) => url.pathname === '/admin/directory/v1/users',
    isToken: ({ url }: Asked) => url.pathname === '/token',
  };

  function grant({ body }: Asked): Reply {
    const form = new URLSearchParams(body);
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const signed = Buffer.from(`${head}.${claims}`);
    const valid = verify('sha256', signed, createPublicKey(publicKey), Buffer.from(signature, 'base64url'));
    fixture.claims = { ...parse(head), ...parse(claims) };
    if (!valid || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    }
    return { body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
  }
  return fixture;
}

/** Describes the source to the conformance tests. */
export function googleUnderTest(): SourceUnderTest {
  const api = googleServer();
  const { server } = api;
  const fill = (people: readonly Person[]) => {
    api.clear();
    for (const person of people) api.put(person);
  };
  const spoiled = (resource: Resource) => (people: readonly Person[]) => {
    fill(people);
    api.set({ primaryEmail: 'l@example.com', ...resource });
    return api.connector();
  };
  const bodyOf = ({ body }: Reply) => body as { users?: unknown[] };
  return {
    name: 'google',
    open: api.connector,
    fill,
    always: [admin.name.fullName],
    emptySource: 'complete',
    secrets: api.secrets,
    discovers: ['id', 'primaryEmail', '@status', '@groups'],
    readsOne: { unknownId: 'nobody' },
    changes: { unsupported: 'the Directory API does not report changes' },
    bad: {
      withoutId: spoiled({ name: { fullName: 'Nobody' } }),
      ofWrongType: spoiled({ id: { of: 'an object' }, name: { fullName: 'Nobody' } }),
      tooLarge: spoiled({ id: 'large', name: { fullName: 'x'.repeat(20_000) } }),
    },
    reached: {
      over: 'http',
      server,
      answer: api.answer,
      listOf: (asked) => (api.isList(asked) ? 'users' : undefined),
      answerSize: api.answerSize,
      renewal: api.isToken,
      invalidResponses: {
        withoutList({ body, ...reply }) {
          const { users: _, ...rest } = body as { users: unknown };
          return { ...reply, body: rest };
        },
        emptied: { unsupported: 'a response without users and token is the regular end of a list' },
        repeating: (reply, earlier) => ({
          ...reply,
          body: {
            ...bodyOf(reply),
            users: [...(bodyOf(reply).users ?? []), ...(bodyOf(earlier).users ?? []).slice(0, 1)],
          },
        }),
        emptyBefore(_, { url }, nth) {
          const same = (url.searchParams.get('pageToken') ?? 'p0').split('~')[0];
          return { body: { kind: 'admin#directory#users', users: [], nextPageToken: `${same}~${nth}` } };
        },
        leadingTo: { unsupported: 'its pages have tokens, not links' },
        expired: {
          status: 400,
          body: { error: { code: 400, message: 'Invalid Input: pageToken', errors: [{ reason: 'invalid' }] } },
        },
      },
    },
  };
}

function parse(part: string): Resource {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
