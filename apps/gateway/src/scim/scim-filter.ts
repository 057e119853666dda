import { decodeId } from '@idsync/contracts';
import type { ScimCriteria, ScimKind } from '@idsync/database/scim';
import { type AttrExp, type Compare, type Filter, parse, type ValuePath } from './parse-filter.js';
import { refused } from './scim-error.js';
import { enterpriseSchema } from './scim-schemas.js';

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
    // Stored as separate rows, and unknown here.
    if (/^(members|groups|meta\.location)\b/.test(plainName(attrPath)))
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

/**
 * Returns a predicate for a filter on resources or values. A condition holds for a list if it holds for one of its values. Throws a
 * 400 for an operator without meaning for its value.
 */
export function matcher(filter: Filter): (candidate: unknown) => boolean {
  if ('filters' in filter) {
    const all = filter.filters.map(matcher);
    return (candidate) =>
      filter.op === 'and' ? all.every((each) => each(candidate)) : all.some((each) => each(candidate));
  }
  if ('filter' in filter) {
    const inner = matcher(filter.filter);
    return (candidate) => !inner(candidate);
  }
  const steps = stepsOf(filter.attrPath);
  if ('valFilter' in filter) {
    const inner = matcher(filter.valFilter);
    return (candidate) => valuesAt(candidate, steps).some(inner);
  }
  if (filter.op === 'pr') return (candidate) => valuesAt(candidate, steps).length > 0;
  const compare = comparerOf(filter);
  return (candidate) => {
    const values = valuesAt(candidate, steps);
    return values.length > 0 ? values.some((value) => compare(plain(value))) : compare(null);
  };
}

function stepsOf(attrPath: string): string[] {
  const name = plainName(attrPath);
  const colon = name.lastIndexOf(':');
  return [...(colon < 0 ? [] : [name.slice(0, colon)]), ...name.slice(colon + 1).split('.')];
}

/** Returns the values under a path of lower-case names, also those in lists. A plain value is its own `value`. */
function valuesAt(from: unknown, steps: readonly string[]): unknown[] {
  if (from === undefined || from === null) return [];
  if (Array.isArray(from)) return from.flatMap((each) => valuesAt(each, steps));
  const [step, ...rest] = steps;
  if (step === undefined) return [from];
  if (typeof from !== 'object') return step === 'value' && rest.length === 0 ? [from] : [];
  const object = from as Record<string, unknown>;
  const found = Object.keys(object).find((name) => name.toLowerCase() === step);
  // Entra ID names the manager without its schema.
  return found === undefined ? valuesAt(object[enterpriseSchema.id], steps) : valuesAt(object[found], rest);
}

/** A complex value is compared by its `value`. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'value' in value ? plain(value.value) : value;
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/i;

/** Compares text regardless of case (RFC 7643, section 2.1), and times as times. An absent value is null (section 2.5). */
function comparerOf({ op, compValue }: Compare): (value: unknown) => boolean {
  const isEquality = op === 'eq' || op === 'ne';
  if (!isEquality && (typeof compValue === 'boolean' || compValue === null))
    throw refused('invalidFilter', `${compValue} cannot be compared with ${op}`);
  const isTime = typeof compValue === 'string' && dateTime.test(compValue);
  const read = (value: unknown) => {
    if (typeof value !== 'string') return value;
    return isTime && dateTime.test(value) ? Date.parse(value) : value.toLowerCase();
  };
  const expected = read(compValue);
  // Entra ID sends `primary eq "True"`.
  const isEqual = (value: unknown) => value === expected || (typeof value === 'boolean' && String(value) === expected);
  if (isEquality) return (value) => isEqual(read(value)) === (op === 'eq');
  if (isTextTest(op)) {
    const sought = String(compValue).toLowerCase();
    return (value) => typeof value !== 'object' && textTests[op](String(value).toLowerCase(), sought);
  }
  const isInOrder = orderTests[op];
  return (value) => typeof read(value) === typeof expected && isInOrder(read(value) as never, expected as never);
}

const textTests = {
  co: (text: string, sought: string) => text.includes(sought),
  sw: (text: string, sought: string) => text.startsWith(sought),
  ew: (text: string, sought: string) => text.endsWith(sought),
};
const orderTests = {
  gt: (a: string, b: string) => a > b,
  ge: (a: string, b: string) => a >= b,
  lt: (a: string, b: string) => a < b,
  le: (a: string, b: string) => a <= b,
};

function isTextTest(op: Compare['op']): op is keyof typeof textTests {
  return op in textTests;
}

/** Returns the fields that a matching value must have: of `type eq "work"`, or of several such terms with `and`. */
export function impliedBy(filter: Filter): Record<string, unknown> | undefined {
  if (filter.op === 'eq' && 'compValue' in filter) return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and' || !('filters' in filter)) return undefined;
  const implied = filter.filters.map(impliedBy);
  return implied.includes(undefined) ? undefined : Object.assign({}, ...implied);
}
