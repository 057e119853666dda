import { encodeId } from '@idsync/contracts';
import type { ScimEnd, ScimResourceRow } from '@idsync/database';
import { plainName } from './scim-path.js';
import { schemaOf } from './scim-schemas.js';

/** What of a resource a client wants to see, by lower-case paths. */
export interface Shown {
  only?: readonly string[];
  without?: readonly string[];
}

/** The names in `attributes` or `excludedAttributes`. */
export function readNames(text: string | undefined): string[] | undefined {
  const names = text?.split(',').flatMap((name) => plainName(name.trim()) || []);
  return names && names.length > 0 ? names : undefined;
}

/** True if a client that asked so sees the attribute. */
export function shows(name: string, { only, without }: Shown): boolean {
  const among = (names: readonly string[]) => names.some((path) => leadsInto(path, name.toLowerCase()));
  if (only) return among(only);
  return !without?.includes(name.toLowerCase());
}

/** A resource as its clients see it. `ends` are the members of a group, or the groups of a user. */
export function presentResource(row: ScimResourceRow, ends: readonly ScimEnd[], base: string, shown: Shown): object {
  const { kind, document } = row;
  const id = encodeId('scimResource', row.id);
  const extensions = Object.keys(document).filter((name) => name.startsWith('urn:'));
  const linked = ends.map((end) => presentEnd(end, base));
  const all: Record<string, unknown> = {
    ...document,
    ...(linked.length > 0 && { [kind === 'User' ? 'groups' : 'members']: linked }),
    meta: {
      resourceType: kind,
      created: row.createdAt.toISOString(),
      lastModified: row.changedAt.toISOString(),
      location: locationOf(row, base),
      version: etag(row),
    },
  };
  const visible = Object.entries(all).flatMap(([name, value]) => {
    const part = project(name.toLowerCase(), value, shown);
    return part === undefined ? [] : [[name, part] as const];
  });
  return { schemas: [schemaOf[kind].id, ...extensions], id, ...Object.fromEntries(visible) };
}

/** The address of a user or group, also of one at the other end of a membership. */
export function locationOf({ kind, id }: Pick<ScimResourceRow, 'kind' | 'id'>, base: string): string {
  return `${base}/${kind}s/${encodeId('scimResource', id)}`;
}

export function etag({ version }: ScimResourceRow): string {
  return `W/"${version}"`;
}

function presentEnd({ id, kind, display }: ScimEnd, base: string): object {
  return {
    value: encodeId('scimResource', id),
    $ref: locationOf({ kind, id }, base),
    ...(display !== null && { display }),
    type: kind,
  };
}

/** What of a value is asked for: all of it, parts of it (`name.givenName`), or undefined for nothing. */
function project(name: string, value: unknown, { only, without }: Shown): unknown {
  if (only) {
    if (only.includes(name)) return value;
    const parts = only.flatMap((path) => (leadsInto(path, name) ? path.slice(name.length + 1) : []));
    return parts.length === 0 ? undefined : pick(value, (part) => parts.includes(part));
  }
  if (!without) return value;
  if (without.includes(name)) return undefined;
  const parts = without.flatMap((path) => (leadsInto(path, name) ? path.slice(name.length + 1) : []));
  return parts.length === 0 ? value : pick(value, (part) => !parts.includes(part));
}

/** A part follows a dot, one of an extension a colon. */
function leadsInto(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}:`);
}

function pick(value: unknown, wanted: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, wanted));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => wanted(part.toLowerCase())));
}
