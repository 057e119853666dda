import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import express from 'express';
import SCIMMY from 'scimmy';
import SCIMMYRouters from 'scimmy-routers';

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
  const app = express();
  const handler = (request: express.Request) => {
    if (request.header('authorization') !== `Bearer ${token}`) throw new Error('who are you?');
    return 'idsync';
  };
  app.use('/scim', new SCIMMYRouters({ type: 'bearer', handler }));
  const server = createServer(app);
  let port = 0;
  const up = async () => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const down = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  beforeAll(up);
  afterAll(down);
  const url = () => `http://127.0.0.1:${port}/scim`;
  return {
    get url() {
      return url();
    },
    users,
    groups,
    /** Stops the service until `up`, which keeps the resources. */
    down,
    up,
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
