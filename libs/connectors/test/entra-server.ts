import { type EntraConfig, entraConfig, type RecordKind } from '@idsync/contracts';
import { entraConnector } from '../src/entra/entra-connector.js';
import { type ApiFixture, type Entry, quick } from './conformance.js';
import { type Asked, loopback, type Reply, testServer } from './http-server.js';

const secret = 'cl1ent-s3cret-value';
const token = 'eyJ0eXAi.entra-t0ken';
export const tenant = '3d4c1b8e-1b64-4f0e-9d80-6f8d0c4cf001';

interface Stored {
  object: Record<string, unknown>;
  gone: boolean;
  version: number;
}

/** Microsoft Graph v1.0: delta queries, lists and batches, and the token endpoint, over objects in memory. */
export async function entraServer(records: RecordKind = 'user', config: Partial<EntraConfig> = {}) {
  const server = await testServer();
  const collection = records === 'machine_identity' ? 'servicePrincipals' : 'users';
  const stored = new Map<string, Stored>();
  /** Lists and objects by path, for what is asked in batches. */
  const beside = new Map<string, unknown>();
  let version = 0;
  let size = 3;
  const put = (object: Record<string, unknown>, gone = false) => {
    version += 1;
    stored.set(String(object.id), { object, gone, version });
  };

  function delta({ url }: Asked): Reply {
    const given = url.searchParams.get('$skiptoken') ?? url.searchParams.get('$deltatoken');
    if (given === 'latest') return { body: { '@odata.deltaLink': link('$deltatoken', version, version), value: [] } };
    // The version behind which it is read, and the one of the beginning.
    const [after = 0, start = version] = (given?.split('~')[0] ?? '').split('.').filter(Boolean).map(Number);
    const changed = [...stored.values()]
      .filter((one) => one.version > after && (!one.gone || one.version > start || (given !== null && start === 0)))
      .sort((one, two) => one.version - two.version);
    const page = changed.slice(0, size);
    const value = page.map(({ object, gone }) =>
      gone ? { id: object.id, '@removed': { reason: 'changed' } } : object,
    );
    const last = page.at(-1)?.version ?? after;
    const more = changed.length > size;
    return {
      body: {
        '@odata.context': `${server.origin}/v1.0/$metadata#${collection}`,
        ...(more
          ? { '@odata.nextLink': link('$skiptoken', last, start) }
          : { '@odata.deltaLink': link('$deltatoken', Math.max(last, version), 0) }),
        value,
      },
    };
  }
  const link = (name: string, after: number, start: number) =>
    `${server.origin}/v1.0/${collection}/delta?${name}=${after}.${start}`;

  function batch({ body }: Asked): Reply {
    const { requests } = JSON.parse(body) as { requests: { id: string; url: string }[] };
    if (requests.length > 20) return { status: 400, body: { error: { code: 'BadRequest', message: 'too many' } } };
    const responses = requests.map(({ id, url }) => {
      const found = beside.get(decodeURIComponent(url.split('?')[0] ?? ''));
      return found === undefined
        ? { id, status: 404, headers: {}, body: { error: { code: 'Request_ResourceNotFound', message: 'no' } } }
        : { id, status: 200, headers: {}, body: found };
    });
    // They may come in any order.
    return { body: { responses: responses.reverse() } };
  }

  const fixture: ApiFixture & {
    set(object: Record<string, unknown>): void;
    relate(path: string, body: unknown): void;
  } = {
    server,
    origin: server.origin,
    secrets: [secret, token],
    set: (object) => put(object),
    relate: (path, body) => void beside.set(path, body),
    put: (entry) => put(asGraph(records, entry)),
    remove(id) {
      if (stored.get(id)?.gone === false) put({ id }, true);
    },
    clear() {
      stored.clear();
      beside.clear();
      version = 0;
    },
    answerSize(items) {
      size = items;
    },
    connector: () => entraConnector(records, entraConfig.parse({ ...minimal(server.origin), ...config }), access()),
    answer(asked) {
      const { pathname } = asked.url;
      if (fixture.isToken(asked)) {
        const form = new URLSearchParams(asked.body);
        const known = form.get('client_secret') === secret && form.get('grant_type') === 'client_credentials';
        if (!known) return { status: 401, body: { error: 'invalid_client', error_description: 'AADSTS7000215' } };
        return { body: { token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599, access_token: token } };
      }
      if (asked.headers.authorization !== `Bearer ${token}`) {
        return {
          status: 401,
          body: { error: { code: 'InvalidAuthenticationToken', message: 'Access token is empty.' } },
        };
      }
      if (pathname === `/v1.0/${collection}/delta`) return delta(asked);
      if (pathname === '/v1.0/$batch') return batch(asked);
      if (pathname === `/v1.0/${collection}`)
        return { body: { value: [...stored.values()].map(({ object }) => object) } };
      const [, kind, id = ''] = /^\/v1\.0\/(\w+)\/([^/]+)$/.exec(pathname) ?? [];
      const named = kind === collection ? decodeURIComponent(id) : '';
      const one = [...stored.values()].find(({ object }) => [object.id, object.userPrincipalName].includes(named));
      if (one && !one.gone) return { body: one.object };
      if (named !== '') return { status: 404, body: { error: { code: 'Request_ResourceNotFound', message: 'no' } } };
      const found = beside.get(pathname.replace('/v1.0', '') + asked.url.search);
      return found === undefined
        ? { status: 404, body: { error: { code: 'BadRequest', message: 'no' } } }
        : { body: found };
    },
    isList: ({ url }) => url.pathname.endsWith('/delta') && url.searchParams.get('$deltatoken') !== 'latest',
    isToken: ({ url }) => url.pathname === `/${tenant}/oauth2/v2.0/token`,
    items: (reply) => (reply.body as { value: unknown[] }).value,
    withItems({ body, ...reply }, value) {
      const { value: _, ...rest } = body as { value: unknown };
      return { ...reply, body: value ? { ...rest, value } : rest };
    },
    emptyBefore({ url }, nth) {
      const same = new URL(url);
      const name = same.searchParams.has('$deltatoken') ? '$deltatoken' : '$skiptoken';
      same.searchParams.set(name, `${(same.searchParams.get(name) ?? `0.${version}`).split('~')[0]}~${nth}`);
      return { body: { value: [], '@odata.nextLink': same.href } };
    },
    withNext({ body, ...reply }, href) {
      return { ...reply, body: { value: (body as { value: unknown }).value, '@odata.nextLink': href } };
    },
    expired: {
      status: 410,
      body: {
        error: { code: 'resyncRequired', message: 'Resync required.', innerError: { date: '2026-01-01T00:00:00' } },
      },
    },
  };
  return fixture;
}

export function minimal(origin: string) {
  return { tenant_id: tenant, client_id: '7a1f2a2e-0a52-4c79-8d0e-3f6f7a30c9aa', url: origin, login_url: origin };
}

export function access() {
  return { secrets: { client_secret: secret }, allowedCidrs: loopback, limits: quick };
}

function asGraph(records: RecordKind, { id, name, enabled }: Entry): Record<string, unknown> {
  if (records === 'machine_identity') {
    return { id, appId: `app-${id}`, displayName: name, accountEnabled: enabled, servicePrincipalType: 'Application' };
  }
  const mail = `${name.toLowerCase().replaceAll(' ', '.')}@contoso.example`;
  return {
    id,
    displayName: name,
    accountEnabled: enabled,
    mail,
    userPrincipalName: mail,
    userType: 'Member',
    department: null,
  };
}
