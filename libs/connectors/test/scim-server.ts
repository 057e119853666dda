import { randomUUID } from 'node:crypto';
import SCIMMY from 'scimmy';
import { type Asked, type Reply, testServer } from './http-server.js';

interface Stored {
  id: string;
  meta: { created: Date; lastModified: Date };
  [attribute: string]: unknown;
}

class Gone extends Error {}

/** A SCIM 2.0 service with resources in memory, ordered by creation, during the tests of a file; one per test file. */
export function scimServer(token: string) {
  const users = new Map<string, Stored>();
  const groups = new Map<string, Stored>();
  const write = (kept: Map<string, Stored>) => (resource: { id?: string }, instance: object) => {
    const now = new Date();
    const id = resource.id ?? randomUUID();
    const before = kept.get(id);
    if (resource.id && !before) throw new Gone();
    const stored = { ...instance, id, meta: { created: before?.meta.created ?? now, lastModified: now } };
    kept.set(id, stored);
    return stored;
  };
  const read =
    (kept: Map<string, Stored>) => (resource: { id?: string; filter?: { match(all: Stored[]): Stored[] } }) => {
      const all = [...kept.values()].map(withGroups);
      if (!resource.id) return resource.filter ? resource.filter.match(all) : all;
      const found = kept.get(resource.id);
      if (!found) throw new SCIMMY.Types.Error(404, undefined as never, 'no such resource');
      return withGroups(found);
    };
  const remove = (kept: Map<string, Stored>) => (resource: { id?: string }) => {
    kept.delete(resource.id ?? '');
  };
  function withGroups(stored: Stored): Stored {
    if (!users.has(stored.id)) return stored;
    const memberships = [...groups.values()].filter(({ members }) =>
      (members as { value: string }[] | undefined)?.some(({ value }) => value === stored.id),
    );
    return { ...stored, groups: memberships.map(({ id, displayName }) => ({ value: id, display: displayName })) };
  }
  SCIMMY.Resources.User.extend(SCIMMY.Schemas.EnterpriseUser);
  for (const [kind, kept] of [
    [SCIMMY.Resources.User, users],
    [SCIMMY.Resources.Group, groups],
  ] as const) {
    SCIMMY.Resources.declare(
      kind as never,
      {
        ingress: write(kept) as never,
        egress: read(kept) as never,
        degress: remove(kept) as never,
      } as never,
    );
  }
  SCIMMY.Config.set({ patch: true, filter: true, sort: true, bulk: true } as never);
  const kinds = [SCIMMY.Resources.User, SCIMMY.Resources.Group, SCIMMY.Resources.ServiceProviderConfig];
  for (const kind of kinds) kind.basepath('/scim');

  async function answer({ method, url, headers, body }: Asked): Promise<Reply> {
    if (headers.authorization !== `Bearer ${token}`) throw new SCIMMY.Types.Error(401, undefined as never, 'no token');
    const [, , endpoint, id] = url.pathname.split('/');
    const Kind = kinds.find((kind) => kind.endpoint === `/${endpoint}`);
    if (!Kind) throw new SCIMMY.Types.Error(404, undefined as never, 'no such endpoint');
    const query: Record<string, unknown> = Object.fromEntries(url.searchParams);
    for (const name of ['startIndex', 'count']) if (query[name] !== undefined) query[name] = Number(query[name]);
    const resource = id ? new Kind(id, query as never) : new Kind(query as never);
    if (method === 'GET') return { body: await resource.read() };
    if (method === 'POST') return { status: 201, body: await resource.write(JSON.parse(body)) };
    if (method === 'PUT') return { body: await resource.write(JSON.parse(body)) };
    if (method === 'DELETE') return { status: 204, body: await resource.dispose() };
    const patched = await resource.patch(JSON.parse(body));
    return { status: patched ? 200 : 204, body: patched };
  }

  const server = testServer(async (asked) => {
    const reply = await answer(asked).catch((error) => ({
      status: Number(error.status ?? 500),
      body: new SCIMMY.Messages.Error(error),
    }));
    return { ...reply, headers: { 'content-type': 'application/scim+json' } };
  });
  const url = () => `${server.origin}/scim`;
  return {
    get url() {
      return url();
    },
    users,
    groups,
    /** Stops the service until `up`, which keeps the resources. */
    down: server.close,
    up: server.listen,
    /** Sends a request as a provisioning client does and returns the response body. */
    async send(method: string, path: string, body?: object): Promise<{ id: string }> {
      const response = await fetch(url() + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      return text === '' ? { id: '' } : JSON.parse(text);
    },
  };
}
