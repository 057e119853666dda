import { type Filter, filter as test } from 'scim2-parse-filter';
import { type ScimAttribute, subAttribute } from './scim-schemas.js';

/** Whether a resource, or one of several values, is what a filter describes; text is compared whatever its case (RFC 7643, 2.1). */
export function matcher(wanted: Filter, attribute?: ScimAttribute): (candidate: unknown) => boolean {
  const matches = test(comparable(wanted, attribute));
  return (candidate) => matches(lowered(candidate));
}

/** What a value must say to match, if the filter says so of it: `type eq "work"`, also several with `and`. */
export function impliedBy(filter: Filter): Record<string, unknown> | undefined {
  if (filter.op === 'eq' && 'compValue' in filter) return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and' || !('filters' in filter)) return undefined;
  const implied = filter.filters.map(impliedBy);
  return implied.includes(undefined) ? undefined : Object.assign({}, ...implied);
}

/** Entra ID writes `primary eq "True"`, and some compare what has parts with the text of its value. */
function comparable(filter: Filter, attribute?: ScimAttribute): Filter {
  if ('filters' in filter) return { ...filter, filters: filter.filters.map((part) => comparable(part, attribute)) };
  if ('filter' in filter) return { ...filter, filter: comparable(filter.filter, attribute) };
  if ('valFilter' in filter) return { ...filter, valFilter: comparable(filter.valFilter) };
  if (!('compValue' in filter)) return filter;
  const { compValue } = filter;
  if (typeof compValue !== 'string') return filter;
  const text = compValue.toLowerCase();
  const isBoolean = attribute && subAttribute(attribute, filter.attrPath)?.type === 'boolean';
  return { ...filter, compValue: isBoolean || isTruth(filter.attrPath, text) ? text === 'true' : text };
}

function isTruth(attrPath: string, text: string): boolean {
  return /(^|\.)(active|primary)$/i.test(attrPath) && (text === 'true' || text === 'false');
}

function lowered(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase();
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, lowered(part)]));
}
