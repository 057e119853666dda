import { decodeId } from '@idsync/contracts';
import type { ScimCriteria, ScimKind } from '@idsync/database/scim';
import { type AttrExp, type Compare, type Filter, parse, Tester, type ValuePath } from 'scim2-parse-filter';
import { refused } from './scim-error.js';

/** A filter as it is executed: conditions that an index answers, and a predicate for the others. */
export interface ScimFilter {
  narrowing: ScimCriteria;
  /** Absent if indexes answer the whole filter. */
  matches?: (resource: unknown) => boolean;
}

interface Comparison {
  name: string;
  op: Compare['op'];
  value: Compare['compValue'];
}

const maxFilterLength = 4_096;
const maxTerms = 25;

/** Throws a 400 for an invalid filter or unsupported attributes. */
export function readFilter(kind: ScimKind, text: string | undefined): ScimFilter {
  const conditions = conditionsOf(text);
  const all: Filter = { op: 'and', filters: conditions };
  if (termsOf(all) > maxTerms) throw refused('tooMany', `filter must have at most ${maxTerms} conditions`);
  const narrowing: ScimCriteria = {};
  const filters = conditions.filter((condition) => !narrows(kind, condition, narrowing));
  if (filters.length === 0) return { narrowing };
  for (const { attrPath } of filters.flatMap(leavesOf)) {
    // These are stored as separate rows.
    if (/^(members|groups)\b/.test(plainName(attrPath)))
      throw refused('invalidFilter', `filtering a ${kind} by ${attrPath} is not supported in this form`);
  }
  return { narrowing, matches: matcher({ op: 'and', filters }) };
}

/** Returns the conditions that a filter joins by `and`. Throws a 400 for an invalid filter. */
export function conditionsOf(text: string | undefined): Filter[] {
  if (text === undefined || text.trim() === '') return [];
  if (text.length > maxFilterLength)
    throw refused('invalidFilter', `filter must have at most ${maxFilterLength} characters`);
  const filter = parseFilter(text);
  return filter.op === 'and' && 'filters' in filter ? filter.filters : [filter];
}

/** Throws a 400 for an invalid filter. */
export function parseFilter(text: string): Filter {
  try {
    return parse(text);
  } catch (error) {
    throw refused(
      'invalidFilter',
      `"${text}" is not a valid filter: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Returns the lower-case name without the URN of the core schema. */
export function plainName(attrPath: string): string {
  return attrPath.toLowerCase().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, '');
}

/** Reads `emails[value eq "…"]` as `emails.value eq "…"`; undefined for a filter that is not one comparison. */
export function comparisonOf(filter: Filter): Comparison | undefined {
  if ('valFilter' in filter) {
    const inner = comparisonOf(filter.valFilter);
    return inner && { ...inner, name: `${plainName(filter.attrPath)}.${inner.name}` };
  }
  if (!('compValue' in filter)) return undefined;
  return { name: plainName(filter.attrPath), op: filter.op, value: filter.compValue };
}

/** Counts the conditions of a filter. */
export function termsOf(filter: Filter): number {
  return leavesOf(filter).reduce((sum, leaf) => sum + ('valFilter' in leaf ? termsOf(leaf.valFilter) : 1), 0);
}

/** Returns the parts that `and`, `or` and `not` combine. */
function leavesOf(filter: Filter): (AttrExp | ValuePath)[] {
  if ('filters' in filter) return filter.filters.flatMap(leavesOf);
  return 'filter' in filter ? leavesOf(filter.filter) : [filter];
}

/** True if an index answers the condition. A second condition on the same attribute is left to the predicate. */
function narrows(kind: ScimKind, condition: Filter, narrowing: ScimCriteria): boolean {
  const { name = '', op, value } = comparisonOf(condition) ?? {};
  const found = op === 'eq' && typeof value === 'string' && criteriaOf(kind, name, value);
  if (!found || (found !== nothing && Object.keys(found).some((key) => key in narrowing))) return false;
  Object.assign(narrowing, found);
  return true;
}

const nothing: ScimCriteria = { ids: [] };

function criteriaOf(kind: ScimKind, name: string, value: string): ScimCriteria | undefined {
  if (name === 'externalid') return { externalId: value };
  if (name === (kind === 'User' ? 'username' : 'displayname')) return { name: value };
  const isMember = kind === 'Group' && /^members(\.value)?$/.test(name);
  if (name !== 'id' && !isMember) return undefined;
  const id = decodeId('scimResource', value);
  if (id === undefined) return nothing;
  return isMember ? { member: id } : { ids: [id] };
}

/** Compares text case-insensitively (RFC 7643, section 2.1), complex values by their `value`, and lists by each value. */
class CaseInsensitiveTester extends Tester {
  private readonly paths = new Map<string, string[]>();

  override test(candidate: unknown, filter: Filter): boolean {
    if (!('compValue' in filter)) return super.test(candidate, filter);
    const { attrPath, compValue, op } = filter;
    const text = typeof compValue === 'string' ? compValue.toLowerCase() : compValue;
    return this.attrTest(this.attrPath(attrPath), candidate, (found) => {
      const value = lowered(found);
      // Entra ID sends `primary eq "True"`.
      const compared = typeof value === 'boolean' && typeof text === 'string' ? text === 'true' : text;
      return value !== undefined && this[op](value, compared);
    });
  }

  override attrPath(path: string): string[] {
    const parts = this.paths.get(path) ?? super.attrPath(plainName(path));
    this.paths.set(path, parts);
    return parts;
  }

  override attrTest(path: string[], candidate: unknown, test: (value: unknown) => boolean): boolean {
    return super.attrTest(path, candidate, (found) => (Array.isArray(found) ? found.some(test) : test(found)));
  }
}

function lowered(value: unknown): Comparison['value'] | undefined {
  if (typeof value === 'object' && value !== null) return 'value' in value ? lowered(value.value) : undefined;
  return typeof value === 'string' ? value.toLowerCase() : (value as Comparison['value'] | undefined);
}

/** Returns a predicate for a filter on resources or values. */
export function matcher(filter: Filter): (candidate: unknown) => boolean {
  const tester = new CaseInsensitiveTester();
  return (candidate) => tester.test(candidate, filter);
}

/** Returns the fields that a matching value must have: of `type eq "work"`, or of several such terms with `and`. */
export function impliedBy(filter: Filter): Record<string, unknown> | undefined {
  if (filter.op === 'eq' && 'compValue' in filter) return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and' || !('filters' in filter)) return undefined;
  const implied = filter.filters.map(impliedBy);
  return implied.includes(undefined) ? undefined : Object.assign({}, ...implied);
}
