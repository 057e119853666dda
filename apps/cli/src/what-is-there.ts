import { UsageError } from './cli-error.js';

const listedAtMost = 10;

/** Describes the items of a list for an error: `there are ten_1 (Demo), ten_2 (Acme)`. */
function whatIsThere(items: readonly { id: string; name?: string }[], total = items.length): string {
  if (items.length === 0) return 'there are none';
  const named = items.slice(0, listedAtMost).map(({ id, name }) => (name ? `${id} (${name})` : id));
  const more = total - named.length;
  return `there ${total === 1 ? 'is' : 'are'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the id of the item with this name. Throws an error that lists what is there. */
export function idOfName(
  noun: string,
  name: string,
  { data, total }: { data: readonly { id: string; name: string }[]; total: number },
): string {
  const [found, another] = data.filter((item) => item.name === name);
  if (!found) throw new UsageError(`no ${noun} "${name}"; ${whatIsThere(data, total)}`);
  if (another) throw new UsageError(`several ${noun}s are named "${name}": use the id`);
  return found.id;
}

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
    // A token cannot be read alone, but everything before it can, so the one that is missing is found.
    if ((await look(`${list}/${id}`)) !== undefined) continue;
    const found = kind.areFew ? ((await look(`${list}?limit=10`)) as Listed | undefined) : undefined;
    const there = found ? whatIsThere(found.data, found.total) : `"idsync ${kind.list}" shows the ids`;
    return `no ${kind.noun} "${id}"; ${there}`;
  }
  return undefined;
}
