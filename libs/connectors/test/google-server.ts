import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { type GoogleConfig, googleConfig, type RecordKind } from '@idsync/contracts';
import { googleConnector } from '../src/google/google-connector.js';
import { type ApiFixture, quick } from './conformance.js';
import { type Asked, loopback, type Reply, testServer } from './http-server.js';

const token = 'ya29.google-t0ken';
const email = 'reader@project.iam.gserviceaccount.com';
export const subject = 'admin@example.com';
const admin = { kind: 'admin#directory#user', id: '100', primaryEmail: subject, isAdmin: true, suspended: false };
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

type Resource = Record<string, unknown>;

/** The Directory API's lists of users and groups, over resources in memory, and the token endpoint. */
export async function googleServer(records: RecordKind = 'user', config: Partial<GoogleConfig> = {}) {
  const server = await testServer();
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
        // An empty list is left out.
        ...(found.length > 0 && { [name]: found }),
        ...(all.length > start + limit && { nextPageToken: `p${start + limit}` }),
      },
    };
  }

  const fixture: ApiFixture & {
    key: string;
    set(resource: Resource): void;
    relate(userKey: string, names: string[]): void;
    claims: Resource;
  } = {
    server,
    origin: server.origin,
    secrets: [token, privateKey.slice(40, 90)],
    always: [admin.id],
    claims: {},
    key: JSON.stringify({
      type: 'service_account',
      project_id: 'project',
      private_key_id: 'k1',
      private_key: privateKey,
      client_email: email,
      client_id: '1',
      token_uri: `${server.origin}/token`,
    }),
    set: (resource) => void stored.set(String(resource.id), { kind: 'admin#directory#user', ...resource }),
    relate: (userKey, names) =>
      void groups.set(
        userKey,
        names.map((name) => ({ kind: 'admin#directory#group', name })),
      ),
    put({ id, name, enabled }) {
      const [givenName, familyName] = name.split(' ');
      fixture.set({
        id,
        primaryEmail: `${id}@example.com`,
        name: { givenName, familyName, fullName: name },
        suspended: !enabled,
        archived: false,
      });
    },
    remove: (id) => void stored.delete(id),
    clear() {
      stored.clear();
      groups.clear();
    },
    answerSize(items) {
      size = items;
    },
    connector: () =>
      googleConnector(records, googleConfig.parse({ subject, url: server.origin, ...config }), {
        secrets: { service_account_key: fixture.key },
        allowedCidrs: loopback,
        limits: quick,
      }),
    answer(asked) {
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
    isList: ({ url }) => url.pathname === '/admin/directory/v1/users',
    isToken: ({ url }) => url.pathname === '/token',
    items: ({ body }) => (body as { users?: unknown[] }).users ?? [],
    withItems({ body, ...reply }, users) {
      const { users: _, ...rest } = body as { users: unknown };
      return { ...reply, body: users ? { ...rest, users } : rest };
    },
    emptyBefore({ url }, nth) {
      const same = (url.searchParams.get('pageToken') ?? 'p0').split('~')[0];
      return { body: { kind: 'admin#directory#users', users: [], nextPageToken: `${same}~${nth}` } };
    },
    expired: {
      status: 400,
      body: { error: { code: 400, message: 'Invalid Input: pageToken', errors: [{ reason: 'invalid' }] } },
    },
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

function parse(part: string): Resource {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
