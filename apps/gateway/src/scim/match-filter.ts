import { type Filter, filter as test } from 'scim2-parse-filter';
import { plainName } from './scim-path.js';
import type { ScimAttribute } from './scim-schemas.js';

/** What an attribute or a part of one is, by its lower-case name; undefined if that is not known. */
type Definitions = (name: string) => ScimAttribute | undefined;

/** Whether a resource, or one of several values, is what a filter describes; text is compared whatever its case (RFC 7643, 2.1). */
export function matcher(wanted: Filter, definitions: Definitions): (candidate: unknown) => boolean {
  const matches = test(comparable(wanted, definitions));
  return (candidate) => matches(lowered(candidate));
}

/** What a value must say to match, if the filter says so of it: `type eq "work"`, also several with `and`. */
export function impliedBy(filter: Filter): Record<string, unknown> | undefined {
  if (filter.op === 'eq' && 'compValue' in filter) return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and' || !('filters' in filter)) return undefined;
  const implied = filter.filters.map(impliedBy);
  return implied.includes(undefined) ? undefined : Object.assign({}, ...implied);
}

/** Parts of a complex attribute. */
export function partsOf(attribute: ScimAttribute | undefined): Definitions {
  return (name) => attribute?.subAttributes?.find((sub) => sub.name.toLowerCase() === name);
}

/** Entra ID writes `primary eq "True"`; and what has parts is compared by its value. */
function comparable(filter: Filter, definitions: Definitions): Filter {
  if ('filters' in filter) return { ...filter, filters: filter.filters.map((part) => comparable(part, definitions)) };
  if ('filter' in filter) return { ...filter, filter: comparable(filter.filter, definitions) };
  const attrPath = plainName(filter.attrPath);
  if ('valFilter' in filter) {
    return { ...filter, attrPath, valFilter: comparable(filter.valFilter, partsOf(definitions(attrPath))) };
  }
  if (!('compValue' in filter)) return { ...filter, attrPath };
  const [name = '', part] = attrPath.split('.');
  const attribute = definitions(name);
  const compared = part === undefined ? attribute : partsOf(attribute)(part);
  const { compValue } = filter;
  const text = typeof compValue === 'string' ? compValue.toLowerCase() : compValue;
  return {
    ...filter,
    attrPath: compared?.type === 'complex' ? `${attrPath}.value` : attrPath,
    compValue: compared?.type === 'boolean' && typeof text === 'string' ? text === 'true' : text,
  };
}

function lowered(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase();
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, lowered(part)]));
}
