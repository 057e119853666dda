import { encodeId } from '@idsync/contracts';
import type { ScimMembership, ScimResourceRow } from '@idsync/database/scim';
import { isUrn, membershipsOf, schemaOf } from './scim-schemas.js';

/** The attributes that a client requests or excludes, by lower-case path. */
export interface AttributeSelection {
  only?: readonly string[];
  without?: readonly string[];
}

/** A resource with the members of a group or the groups of a user, if requested. */
export interface ScimFound {
  row: ScimResourceRow;
  memberships: ScimMembership[];
}

/** Renders a resource. */
export function presentResource({ row, memberships }: ScimFound, base: string, selection: AttributeSelection): object {
  const { kind, document } = row;
  const linked = memberships.map((each) => ({
    ...presentMembership(each, base),
    // The stored memberships are those that were pushed.
    type: kind === 'User' ? 'direct' : each.kind,
  }));
  const all: Record<string, unknown> = {
    ...document,
    ...(linked.length > 0 && { [membershipsOf[kind]]: linked }),
    meta: { ...metaOf(row), location: locationOf(row, base), version: etag(row) },
  };
  return { schemas: schemasOf(row), id: encodeId('scimResource', row.id), ...selected(all, selection) };
}

export function schemasOf({ kind, document }: ScimResourceRow): string[] {
  return [schemaOf[kind].id, ...Object.keys(document).filter(isUrn)];
}

export function metaOf({ kind, createdAt, changedAt }: ScimResourceRow): object {
  return { resourceType: kind, created: createdAt.toISOString(), lastModified: changedAt.toISOString() };
}

/** Reduces the attributes of a resource to the selection. */
export function selected(all: Readonly<Record<string, unknown>>, selection: AttributeSelection): object {
  const visible = Object.entries(all).flatMap(([name, value]) => {
    const part = selectedOf(name.toLowerCase(), value, selection);
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
  };
}

/** Reduces a value to the selection: all of it, sub-attributes (`name.givenName`), or undefined for nothing. */
export function selectedOf(name: string, value: unknown, { only, without = [] }: AttributeSelection): unknown {
  const paths = only ?? without;
  if (paths.includes(name)) return only && value;
  const parts = paths.flatMap((path) => (leadsInto(path, name) ? path.slice(name.length + 1) : []));
  if (parts.length === 0) return only ? undefined : value;
  return pick(value, (part) => parts.includes(part) === (only !== undefined));
}

/** A sub-attribute follows a dot, an attribute of an extension a colon. */
function leadsInto(path: string, name: string): boolean {
  return path.startsWith(`${name}.`) || path.startsWith(`${name}:`);
}

function pick(value: unknown, isSelected: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, isSelected));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => isSelected(part.toLowerCase())));
}
