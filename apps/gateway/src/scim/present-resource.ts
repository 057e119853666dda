import { encodeId } from '@idsync/contracts';
import type { ScimMembership, ScimResourceRow } from '@idsync/database/scim';
import { plainName } from './scim-filter.js';
import { schemaOf } from './scim-schemas.js';

/** The attributes that a client requests or excludes, by lower-case path. */
export interface AttributeSelection {
  only?: readonly string[];
  without?: readonly string[];
}

/** Parses `attributes` or `excludedAttributes`. */
export function readNames(text: string | undefined): string[] | undefined {
  const names = text?.split(',').flatMap((name) => plainName(name.trim()) || []);
  return names && names.length > 0 ? names : undefined;
}

/** Returns whether the response contains the attribute. */
export function shows(name: string, { only, without }: AttributeSelection): boolean {
  const isNamedIn = (names: readonly string[]) => names.some((path) => leadsInto(path, name.toLowerCase()));
  if (only) return isNamedIn(only);
  return !without?.includes(name.toLowerCase());
}

/** Renders a resource. `memberships` are the members of a group, or the groups of a user. */
export function presentResource(
  row: ScimResourceRow,
  memberships: readonly ScimMembership[],
  base: string,
  selection: AttributeSelection,
): object {
  const { kind, document } = row;
  const id = encodeId('scimResource', row.id);
  const extensions = Object.keys(document).filter((name) => name.startsWith('urn:'));
  const linked = memberships.map((membership) => presentMembership(membership, base));
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
  return { schemas: [schemaOf[kind].id, ...extensions], id, ...selected(all, selection) };
}

/** Reduces the attributes of a resource to the selection. */
export function selected(all: Readonly<Record<string, unknown>>, selection: AttributeSelection): object {
  const visible = Object.entries(all).flatMap(([name, value]) => {
    const part = project(name.toLowerCase(), value, selection);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(visible);
}

/** Returns the URL of a user or group. */
export function locationOf({ kind, id }: Pick<ScimResourceRow, 'kind' | 'id'>, base: string): string {
  return `${base}/${kind}s/${encodeId('scimResource', id)}`;
}

export function etag({ version }: ScimResourceRow): string {
  return `W/"${version}"`;
}

function presentMembership({ id, kind, display }: ScimMembership, base: string): object {
  return {
    value: encodeId('scimResource', id),
    $ref: locationOf({ kind, id }, base),
    ...(display !== null && { display }),
    type: kind,
  };
}

/** Reduces a value to the selection: all of it, sub-attributes (`name.givenName`), or undefined for nothing. */
function project(name: string, value: unknown, { only, without }: AttributeSelection): unknown {
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

/** A sub-attribute follows a dot, an attribute of an extension a colon. */
function leadsInto(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}:`);
}

function pick(value: unknown, isSelected: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, isSelected));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => isSelected(part.toLowerCase())));
}
