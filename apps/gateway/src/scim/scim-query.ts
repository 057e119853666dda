import type { ScimKind } from '@idsync/database/scim';
import { type AttributeSelection, readNames, shows } from './present-resource.js';
import { refused } from './scim-error.js';

export type ScimQuery = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<string, ScimKind>> = { Users: 'User', Groups: 'Group' };
/** The attribute that lists memberships. */
const membershipAttribute = { User: 'groups', Group: 'members' } as const;

/** Returns the resource kind of a path segment. */
export function kindOf(name: string): ScimKind | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Throws a 400 for a parameter that is given more than once. */
export function text(query: ScimQuery, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refused('invalidValue', `${name} must be given only once`);
}

/** Reads `attributes` and `excludedAttributes`. */
export function selectionOf(query: ScimQuery): AttributeSelection {
  const [only, without] = [readNames(text(query, 'attributes')), readNames(text(query, 'excludedAttributes'))];
  return { ...(only && { only }), ...(without && { without }) };
}

/** Returns whether the response contains the members of a group, or the groups of a user. */
export function showsMemberships(kind: ScimKind, selection: AttributeSelection): boolean {
  return shows(membershipAttribute[kind], selection);
}

/** A PATCH of a group returns a body only if the request selects attributes (RFC 7644, section 3.5.2): it may be large. */
export function omitsBody(kind: ScimKind, { only }: AttributeSelection): boolean {
  return kind === 'Group' && only === undefined;
}

/** Reads an integer parameter. An invalid value counts as the default, as RFC 7644 requires for out-of-range numbers. */
export function integerOf(query: ScimQuery, name: string, fallback: number): number {
  const value = text(query, name);
  return value !== undefined && /^-?\d{1,9}$/.test(value) ? Number(value) : fallback;
}
