import { whatIsThere } from './what-is-there.js';

interface Kind {
  noun: string;
  /** The command that lists them. */
  list: string;
  /** Few enough to be listed in an error. */
  areFew?: true;
}

/** By the path segment of their list. */
const kinds: Readonly<Record<string, Kind>> = {
  tenants: { noun: 'tenant', list: 'tenants list', areFew: true },
  'api-keys': { noun: 'API key', list: 'keys list', areFew: true },
  connectors: { noun: 'connector', list: 'connectors list', areFew: true },
  'deleted-connectors': { noun: 'deleted connector', list: 'connectors deleted', areFew: true },
  tokens: { noun: 'token', list: 'connectors tokens list', areFew: true },
  'service-tokens': { noun: 'service token', list: 'service-tokens list', areFew: true },
  'sync-jobs': { noun: 'job', list: 'jobs list' },
  cases: { noun: 'case', list: 'cases list' },
  identities: { noun: 'identity', list: 'identities list' },
  suppressions: { noun: 'suppression', list: 'suppressions list' },
  operations: { noun: 'operation', list: 'operations list' },
  findings: { noun: 'finding', list: 'findings list' },
  webhooks: { noun: 'webhook', list: 'webhooks list', areFew: true },
  approvals: { noun: 'approval', list: 'approvals list' },
  events: { noun: 'event', list: 'events list' },
  deliveries: { noun: 'delivery', list: 'deliveries list' },
  replays: { noun: 'replay', list: 'replays list' },
};

interface Listed {
  data: { id: string; name?: string }[];
  total: number;
}

/**
 * Describes which part of a path the service does not have, and what it has instead. `look` reads a path, and returns
 * undefined for a missing one. Returns undefined if everything that the path names is there.
 */
export async function describeMissing(
  path: string,
  look: (path: string) => Promise<unknown>,
): Promise<string | undefined> {
  const segments = path.replace(/\?.*/, '').split('/');
  for (let at = 0; at + 1 < segments.length; at += 2) {
    const list = segments.slice(0, at + 1).join('/');
    const kind = kinds[segments[at] ?? ''];
    const id = segments[at + 1];
    if (!kind || id === undefined) return undefined;
    // A key or a token cannot be read alone, but everything before it can, so the one that is missing is found.
    if ((await look(`${list}/${id}`)) !== undefined) continue;
    const found = kind.areFew ? ((await look(`${list}?limit=10`)) as Listed | undefined) : undefined;
    const there = found ? whatIsThere(found.data, found.total) : `"idsync ${kind.list}" shows the ids`;
    return `no ${kind.noun} "${id}"; ${there}`;
  }
  return undefined;
}
