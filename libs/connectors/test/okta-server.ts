import { type OktaConfig, oktaConfig, type RecordKind } from '@idsync/contracts';
import { oktaConnector } from '../src/okta/okta-connector.js';
import { quick } from './conformance/readings.js';
import type { Person, SourceUnderTest } from './conformance/source-under-test.js';
import { type Asked, loopback, type Reply, testServer } from './http-server.js';

export const token = '00okta-t0ken-Value';
const stepMs = 10 * 60_000;

type Resource = Record<string, unknown>;

/** Serves the user, app and group lists of Okta from memory, with its own clock. */
export function oktaServer(records: RecordKind = 'user', config: Partial<OktaConfig> = {}) {
  const server = testServer();
  const stored = new Map<string, Resource>();
  const lists = new Map<string, Resource[]>();
  let now = Date.parse('2026-01-01T00:00:00Z');
  let size = 3;
  let remaining = 500;
  const headers = () => ({
    date: new Date(now).toUTCString(),
    'x-rate-limit-limit': '600',
    'x-rate-limit-remaining': String(remaining),
    'x-rate-limit-reset': String(now / 1000 + 1),
  });

  function list({ url }: Asked, all: Resource[]): Reply {
    const after = (url.searchParams.get('after') ?? '').split('~')[0] ?? '';
    const limit = Math.min(size, Number(url.searchParams.get('limit') ?? 200));
    const behind = all.filter(({ id }) => String(id) > after);
    const body = behind.slice(0, limit);
    const link = [`<${url.href}>; rel="self"`];
    if (behind.length > limit) link.push(`<${at(url, String(body.at(-1)?.id))}>; rel="next"`);
    return { headers: { ...headers(), link: link.join(', ') }, body };
  }

  const fixture = {
    server,
    get origin() {
      return server.origin;
    },
    secrets: [token],
    set(resource: Resource) {
      now += stepMs;
      stored.set(String(resource.id), { ...resource, lastUpdated: new Date(now).toISOString() });
    },
    relate: (path: string, list: Resource[]) => void lists.set(path, list),
    remain(calls: number) {
      remaining = calls;
    },
    put({ id, login, name, enabled }: Person) {
      const [firstName, lastName] = name.split(' ');
      fixture.set({
        id,
        status: enabled ? 'ACTIVE' : 'SUSPENDED',
        profile: { firstName, lastName: lastName ?? null, displayName: name, login, email: `${id}@okta.example` },
      });
    },
    remove: (id: string) => void stored.delete(id),
    clear() {
      stored.clear();
      lists.clear();
      remaining = 500;
    },
    answerSize(items: number) {
      size = items;
    },
    connector: () =>
      oktaConnector(records, oktaConfig.parse({ url: server.origin, ...config }), {
        secrets: { token },
        allowedCidrs: loopback,
        limits: quick,
      }),
    answer(asked: Asked): Reply {
      const { pathname, searchParams } = asked.url;
      if (asked.headers.authorization !== `SSWS ${token}`) {
        return {
          status: 401,
          body: { errorCode: 'E0000011', errorSummary: 'Invalid token provided', errorCauses: [] },
        };
      }
      const sorted = [...stored.values()].sort((one, two) => (String(one.id) < String(two.id) ? -1 : 1));
      if (pathname === '/api/v1/apps') return list(asked, sorted);
      if (pathname === '/api/v1/users') return list(asked, sorted.filter(matching(searchParams.get('filter'))));
      const found = lists.get(pathname);
      if (found) return list(asked, found);
      const named = decodeURIComponent(/^\/api\/v1\/(?:users|apps)\/([^/]+)$/.exec(pathname)?.[1] ?? '');
      const one = sorted.find(({ id, profile }) => id === named || (profile as Resource)?.login === named);
      if (one) return { headers: headers(), body: one };
      return { status: 404, body: { errorCode: 'E0000007', errorSummary: 'Not found: Resource not found' } };
    },
  };
  return fixture;
}

/** Describes the source to the conformance tests. */
export function oktaUnderTest(): SourceUnderTest {
  const api = oktaServer();
  const { server } = api;
  const fill = (people: readonly Person[]) => {
    api.clear();
    for (const person of people) api.put(person);
  };
  const spoiled = (resource: Resource) => (people: readonly Person[]) => {
    fill(people);
    api.set({ status: 'ACTIVE', ...resource });
    return api.connector();
  };
  return {
    name: 'okta',
    open: api.connector,
    fill,
    emptySource: 'complete',
    secrets: [token],
    discovers: ['id', 'status', 'profile.login', '@groups'],
    readsOne: { unknownId: 'nobody' },
    changes: {
      reports: 'existing_records',
      put: api.put,
      remove: api.remove,
      expire: { unsupported: 'the checkpoint is a time and does not expire' },
    },
    bad: {
      withoutId: spoiled({ profile: { displayName: 'Nobody' } }),
      ofWrongType: spoiled({ id: { of: 'an object' }, profile: { displayName: 'Nobody' } }),
      tooLarge: spoiled({ id: 'large', profile: { displayName: 'x'.repeat(20_000) } }),
    },
    reached: {
      over: 'http',
      server,
      answer: api.answer,
      listOf: ({ url }) => (url.pathname === '/api/v1/users' ? 'users' : undefined),
      answerSize: api.answerSize,
      renewal: { unsupported: 'its API token does not expire' },
      invalidResponses: {
        withoutList: (reply) => ({ ...reply, body: {} }),
        emptied: { unsupported: 'a response without users and links is the regular end of a list' },
        repeating: (reply, { body }) => ({ ...reply, body: [...(reply.body as []), ...(body as []).slice(0, 1)] }),
        emptyBefore(_, { url }, nth) {
          const after = (url.searchParams.get('after') ?? '').split('~')[0];
          return { headers: { link: `<${at(url, `${after}~${nth}`)}>; rel="next"` }, body: [] };
        },
        leadingTo: (reply, link) => ({ ...reply, headers: { ...reply.headers, link: `<${link}>; rel="next"` } }),
        expired: { status: 400, body: { errorCode: 'E0000031', errorSummary: 'Invalid search criteria.' } },
      },
    },
  };
}

function at(url: URL, after: string): string {
  const next = new URL(url);
  next.searchParams.set('after', after);
  return next.href;
}

/** Parses `lastUpdated gt "…" and (status eq "…" or …)`. Without a filter all users match except deactivated ones. */
function matching(filter: string | null) {
  const statuses = [...(filter ?? '').matchAll(/status eq "(\w+)"/g)].map(([, status]) => status);
  const after = /lastUpdated gt "([^"]+)"/.exec(filter ?? '')?.[1];
  return ({ status, lastUpdated }: Resource) =>
    (statuses.length > 0 ? statuses.includes(String(status)) : status !== 'DEPROVISIONED') &&
    (after === undefined || String(lastUpdated) > after);
}
