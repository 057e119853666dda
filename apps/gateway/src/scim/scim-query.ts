import type { ScimKind } from '@idsync/database/scim';
import { type AttributeSelection, selectedOf } from './present-resource.js';
import { defaultPage, largestPage } from './scim-bounds.js';
import { refused } from './scim-error.js';
import { plainName } from './scim-filter.js';
import { membershipsOf } from './scim-schemas.js';

export type ScimQuery = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<string, ScimKind>> = { Users: 'User', Groups: 'Group' };

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
  const [only, without] = ['attributes', 'excludedAttributes'].map((parameter) => {
    const names = text(query, parameter)?.split(',') ?? [];
    return names.flatMap((name) => plainName(name.trim()) || []);
  });
  return { ...(only?.length && { only }), ...(without?.length && { without }) };
}

export function showsMemberships(kind: ScimKind, selection: AttributeSelection): boolean {
  return selectedOf(membershipsOf[kind], true, selection) !== undefined;
}

/** A PATCH of a group returns a body only if the request selects attributes (RFC 7644, section 3.5.2): it may be large. */
export function omitsBody(kind: ScimKind, { only }: AttributeSelection): boolean {
  return kind === 'Group' && only === undefined;
}

/** Reads an integer parameter. An invalid value counts as the default, as RFC 7644 requires for out-of-range numbers. */
function integerOf(query: ScimQuery, name: string, fallback: number): number {
  const value = text(query, name);
  return value !== undefined && /^-?\d{1,9}$/.test(value) ? Number(value) : fallback;
}

/** Reads `startIndex` and `count`. */
export function pageOf(query: ScimQuery): { offset: number; limit: number } {
  return {
    offset: Math.max(1, integerOf(query, 'startIndex', 1)) - 1,
    limit: Math.min(largestPage, Math.max(0, integerOf(query, 'count', defaultPage))),
  };
}
