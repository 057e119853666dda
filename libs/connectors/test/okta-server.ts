import { type OktaConfig, oktaConfig, type RecordKind } from '@idsync/contracts';
import { oktaConnector } from '../src/okta/okta-connector.js';
import { type ApiFixture, quick } from './conformance.js';
import { type Asked, loopback, type Reply, testServer } from './http-server.js';

const token = '00okta-t0ken-Value';
const stepMs = 10 * 60_000;

type Resource = Record<string, unknown>;

/** Okta's lists of users, apps and groups, over resources in memory, with a clock of their own. */
export async function oktaServer(records: RecordKind = 'user', config: Partial<OktaConfig> = {}) {
  const server = await testServer();
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

  const fixture: ApiFixture & {
    set(resource: Resource): void;
    relate(path: string, list: Resource[]): void;
    remain(calls: number): void;
  } = {
    server,
    origin: server.origin,
    secrets: [token],
    set(resource) {
      now += stepMs;
      stored.set(String(resource.id), { ...resource, lastUpdated: new Date(now).toISOString() });
    },
    relate: (path, list) => void lists.set(path, list),
    remain(calls) {
      remaining = calls;
    },
    put({ id, name, enabled }) {
      const [firstName, lastName] = name.split(' ');
      const login = `${id}@okta.example`;
      fixture.set({
        id,
        status: enabled ? 'ACTIVE' : 'SUSPENDED',
        profile: { firstName, lastName: lastName ?? null, displayName: name, login, email: login },
      });
    },
    remove: (id) => void stored.delete(id),
    clear() {
      stored.clear();
      lists.clear();
      remaining = 500;
    },
    answerSize(items) {
      size = items;
    },
    connector: () =>
      oktaConnector(records, oktaConfig.parse({ url: server.origin, ...config }), {
        secrets: { token },
        allowedCidrs: loopback,
        limits: quick,
      }),
    answer(asked) {
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
    isList: ({ url }) => ['/api/v1/users', '/api/v1/apps'].includes(url.pathname),
    isToken: () => false,
    items: ({ body }) => body as unknown[],
    withItems: (reply, items) => ({ ...reply, body: items ?? {} }),
    emptyBefore({ url }, nth) {
      const after = (url.searchParams.get('after') ?? '').split('~')[0];
      return { headers: { ...headers(), link: `<${at(url, `${after}~${nth}`)}>; rel="next"` }, body: [] };
    },
    withNext: (reply, link) => ({ ...reply, headers: { ...reply.headers, link: `<${link}>; rel="next"` } }),
    expired: { status: 400, body: { errorCode: 'E0000031', errorSummary: 'Invalid search criteria.' } },
  };
  return fixture;
}

function at(url: URL, after: string): string {
  const next = new URL(url);
  next.searchParams.set('after', after);
  return next.href;
}

/** `lastUpdated gt "…" and (status eq "…" or …)`, or nothing: then all but the deactivated. */
function matching(filter: string | null) {
  const statuses = [...(filter ?? '').matchAll(/status eq "(\w+)"/g)].map(([, status]) => status);
  const after = /lastUpdated gt "([^"]+)"/.exec(filter ?? '')?.[1];
  return ({ status, lastUpdated }: Resource) =>
    (statuses.length > 0 ? statuses.includes(String(status)) : status !== 'DEPROVISIONED') &&
    (after === undefined || String(lastUpdated) > after);
}
