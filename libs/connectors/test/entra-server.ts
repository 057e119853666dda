import { type EntraConfig, entraConfig, type RecordKind } from '@idsync/contracts';
import { entraConnector } from '../src/entra/entra-connector.js';
import { quick } from './conformance/readings.js';
import type { Person, SourceUnderTest } from './conformance/source-under-test.js';
import { type Asked, loopback, type Reply, testServer } from './http-server.js';

const secret = 'cl1ent-s3cret-value';
const token = 'eyJ0eXAi.entra-t0ken';
export const tenant = '3d4c1b8e-1b64-4f0e-9d80-6f8d0c4cf001';

interface Stored {
  object: Record<string, unknown>;
  gone: boolean;
  version: number;
}

/** Serves Microsoft Graph v1.0 from memory: delta queries, lists, batches and the token endpoint. */
export function entraServer(records: RecordKind = 'user', config: Partial<EntraConfig> = {}) {
  const server = testServer();
  const collection = records === 'machine_identity' ? 'servicePrincipals' : 'users';
  const stored = new Map<string, Stored>();
  /** Lists and objects by path, for batch requests. */
  const related = new Map<string, unknown>();
  let version = 0;
  let size = 3;
  const put = (object: Record<string, unknown>, gone = false) => {
    version += 1;
    stored.set(String(object.id), { object, gone, version });
  };

  function delta({ url }: Asked): Reply {
    const given = url.searchParams.get('$skiptoken') ?? url.searchParams.get('$deltatoken');
    if (given === 'latest') return { body: { '@odata.deltaLink': link('$deltatoken', version, version), value: [] } };
    // `after` is the version of the page before, `start` the version of the first page.
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
      const found = related.get(decodeURIComponent(url.split('?')[0] ?? ''));
      return found === undefined
        ? { id, status: 404, headers: {}, body: { error: { code: 'Request_ResourceNotFound', message: 'no' } } }
        : { id, status: 200, headers: {}, body: found };
    });
    // Graph returns the responses of a batch in any order.
    return { body: { responses: responses.reverse() } };
  }

  const fixture = {
    server,
    get origin() {
      return server.origin;
    },
    secrets: [secret, token],
    set: (object: Record<string, unknown>) => put(object),
    relate: (path: string, body: unknown) => void related.set(path, body),
    put: (person: Person) => put(asGraph(records, person)),
    remove(id: string) {
      if (stored.get(id)?.gone === false) put({ id }, true);
    },
    clear() {
      stored.clear();
      related.clear();
      version = 0;
    },
    answerSize(items: number) {
      size = items;
    },
    connector: () => entraConnector(records, entraConfig.parse({ ...minimal(server.origin), ...config }), access()),
    answer(asked: Asked): Reply {
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
      const found = related.get(pathname.replace('/v1.0', '') + asked.url.search);
      return found === undefined
        ? { status: 404, body: { error: { code: 'BadRequest', message: 'no' } } }
        : { body: found };
    },
    isList: ({ url }: Asked) => url.pathname.endsWith('/delta') && url.searchParams.get('$deltatoken') !== 'latest',
    isToken: ({ url }: Asked) => url.pathname === `/${tenant}/oauth2/v2.0/token`,
    /** Returns an empty page that leads to the requested page by a unique token. */
    emptyBefore(url: URL, nth: number): Reply {
      const same = new URL(url);
      const name = same.searchParams.has('$deltatoken') ? '$deltatoken' : '$skiptoken';
      same.searchParams.set(name, `${(same.searchParams.get(name) ?? `0.${version}`).split('~')[0]}~${nth}`);
      return { body: { value: [], '@odata.nextLink': same.href } };
    },
  };
  return fixture;
}

/** Describes the source to the conformance tests. */
export function entraUnderTest(): SourceUnderTest {
  const api = entraServer();
  const { server } = api;
  const fill = (people: readonly Person[]) => {
    api.clear();
    for (const person of people) api.put(person);
  };
  const spoiled = (object: Record<string, unknown>) => (people: readonly Person[]) => {
    fill(people.slice(1));
    api.set({ accountEnabled: true, ...object });
    for (const person of people.slice(0, 1)) api.put(person);
    return api.connector();
  };
  const bodyOf = ({ body }: Reply) => body as { value: unknown[] };
  const expired: Reply = {
    status: 410,
    body: {
      error: { code: 'resyncRequired', message: 'Resync required.', innerError: { date: '2026-01-01T00:00:00' } },
    },
  };
  return {
    name: 'entra',
    open: api.connector,
    fill,
    emptySource: 'complete',
    secrets: api.secrets,
    discovers: ['id', 'accountEnabled', 'displayName'],
    readsOne: { unknownId: 'nobody' },
    changes: {
      reports: 'everything',
      put: api.put,
      remove: api.remove,
      expire: () => server.serve((asked) => (api.isList(asked) ? expired : api.answer(asked))),
    },
    bad: {
      withoutId: spoiled({ displayName: 'Nobody' }),
      ofWrongType: spoiled({ id: 'odd', employeeHireDate: 'soon' }),
      tooLarge: spoiled({ id: 'large', displayName: 'x'.repeat(20_000) }),
    },
    reached: {
      over: 'http',
      server,
      answer: api.answer,
      listOf: (asked) => (api.isList(asked) ? 'delta' : undefined),
      answerSize: api.answerSize,
      renewal: api.isToken,
      invalidResponses: {
        withoutList({ body, ...reply }) {
          const { value: _, ...rest } = body as { value: unknown };
          return { ...reply, body: rest };
        },
        emptied: (reply) => ({ ...reply, body: { value: [] } }),
        repeating: (reply, earlier) => ({
          ...reply,
          body: { ...bodyOf(reply), value: [...bodyOf(reply).value, ...bodyOf(earlier).value.slice(0, 1)] },
        }),
        emptyBefore: (_, { url }, nth) => api.emptyBefore(url, nth),
        leadingTo: (reply, href) => ({ ...reply, body: { value: bodyOf(reply).value, '@odata.nextLink': href } }),
        expired,
      },
    },
  };
}

export function minimal(origin: string) {
  return { tenant_id: tenant, client_id: '7a1f2a2e-0a52-4c79-8d0e-3f6f7a30c9aa', url: origin, login_url: origin };
}

export function access() {
  return { secrets: { client_secret: secret }, allowedCidrs: loopback, limits: quick };
}

function asGraph(records: RecordKind, { id, login, name, enabled }: Person): Record<string, unknown> {
  if (records === 'machine_identity') {
    return { id, appId: `app-${id}`, displayName: name, accountEnabled: enabled, servicePrincipalType: 'Application' };
  }
  const mail = `${name.toLowerCase().replaceAll(' ', '.')}@contoso.example`;
  return {
    id,
    displayName: name,
    accountEnabled: enabled,
    mail,
    userPrincipalName: login,
    userType: 'Member',
    department: null,
  };
}
