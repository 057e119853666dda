import { decodeId } from '@idsync/contracts';
import type { ScimCriteria, ScimKind } from '@idsync/database/scim';
import type { Filter } from 'scim2-parse-filter';
import { matcher } from './match-filter.js';
import { refused } from './scim-error.js';
import { parseFilterText, plainName } from './scim-path.js';
import { attributesOf } from './scim-schemas.js';

/** A filter as it is executed: conditions that an index answers, and a predicate for the others. */
export interface ScimFilter {
  narrowing: ScimCriteria;
  /** Absent if indexes answer the whole filter. */
  matches?: (resource: unknown) => boolean;
}

const maxFilterLength = 4_096;
const maxTerms = 25;

/** Throws a 400 for an invalid filter or unsupported attributes. */
export function readFilter(kind: ScimKind, text: string | undefined): ScimFilter {
  if (text === undefined || text.trim() === '') return { narrowing: {} };
  if (text.length > maxFilterLength) {
    throw refused('invalidFilter', `filter must have at most ${maxFilterLength} characters`);
  }
  const parsed = parseFilterText(text);
  if (termsOf(parsed) > maxTerms) throw refused('tooMany', `filter must have at most ${maxTerms} conditions`);
  const parts = parsed.op === 'and' && 'filters' in parsed ? parsed.filters : [parsed];
  const narrowing: ScimCriteria = {};
  const rest = parts.filter((part) => !narrows(kind, part, narrowing));
  for (const part of rest) requireTestable(kind, part);
  if (rest.length === 0) return { narrowing };
  const remaining = rest.length === 1 && rest[0] ? rest[0] : ({ op: 'and', filters: rest } as Filter);
  return { narrowing, matches: matcher(remaining, (name) => attributesOf(kind)?.get(name)) };
}

/** Counts the conditions of a filter. */
export function termsOf(filter: Filter): number {
  if ('filters' in filter) return filter.filters.reduce((sum, part) => sum + termsOf(part), 0);
  if ('filter' in filter) return termsOf(filter.filter);
  return 'valFilter' in filter ? termsOf(filter.valFilter) : 1;
}

/** True if an index answers the condition. A second condition on the same attribute is left to the predicate. */
function narrows(kind: ScimKind, filter: Filter, narrowing: ScimCriteria): boolean {
  if ('valFilter' in filter && kind === 'Group' && plainName(filter.attrPath) === 'members') {
    return narrows(kind, withinMembers(filter.valFilter), narrowing);
  }
  if (filter.op !== 'eq' || !('compValue' in filter) || typeof filter.compValue !== 'string') return false;
  const { compValue: value } = filter;
  const name = plainName(filter.attrPath);
  if (name === 'id' && narrowing.ids === undefined) {
    const id = decodeId('scimResource', value);
    narrowing.ids = id === undefined ? [] : [id];
  } else if (name === (kind === 'User' ? 'username' : 'displayname') && narrowing.name === undefined) {
    narrowing.name = value;
  } else if (name === 'externalid' && narrowing.externalId === undefined) narrowing.externalId = value;
  else if (kind === 'Group' && /^members(\.value)?$/.test(name) && narrowing.member === undefined) {
    const member = decodeId('scimResource', value);
    if (member === undefined) narrowing.ids = [];
    else narrowing.member = member;
  } else return false;
  return true;
}

/** Rewrites `members[value eq "…"]` as `members.value eq "…"`. */
function withinMembers(filter: Filter): Filter {
  return 'compValue' in filter && /^value$/i.test(filter.attrPath) ? { ...filter, attrPath: 'members.value' } : filter;
}

/** Rejects predicates on members and groups, because these are stored as separate rows. */
function requireTestable(kind: ScimKind, filter: Filter): void {
  if ('filters' in filter) for (const part of filter.filters) requireTestable(kind, part);
  else if ('filter' in filter) requireTestable(kind, filter.filter);
  else if ('attrPath' in filter && /^(members|groups)\b/.test(plainName(filter.attrPath))) {
    throw refused('invalidFilter', `filtering a ${kind} by ${filter.attrPath} is not supported in this form`);
  }
}
