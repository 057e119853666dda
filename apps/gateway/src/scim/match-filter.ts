import { type Filter, filter as test } from 'scim2-parse-filter';
import { plainName } from './scim-path.js';
import type { ScimAttribute } from './scim-schemas.js';

/** Looks up an attribute or sub-attribute by its lower-case name. */
type Definitions = (name: string) => ScimAttribute | undefined;

/** Returns a predicate for a filter on resources or values. Text is compared case-insensitively (RFC 7643, section 2.1). */
export function matcher(filter: Filter, definitions: Definitions): (candidate: unknown) => boolean {
  const matches = test(comparable(filter, definitions));
  const names = new Set(namesIn(filter));
  return (candidate) => matches(lowered(pickNamed(candidate, names)));
}

/** Returns the lower-case names of the attributes in a filter; extensions as `urn`. */
function namesIn(filter: Filter): string[] {
  if ('filters' in filter) return filter.filters.flatMap(namesIn);
  if ('filter' in filter) return namesIn(filter.filter);
  return [nameOf(plainName(filter.attrPath))];
}

function nameOf(path: string): string {
  return path.toLowerCase().split(/[.:]/, 1)[0] ?? '';
}

/** Picks the attributes that the filter needs, because converting a whole large resource is slow. */
function pickNamed(candidate: unknown, names: ReadonlySet<string>): unknown {
  if (typeof candidate !== 'object' || candidate === null || Array.isArray(candidate)) return candidate;
  const named = Object.keys(candidate).filter((name) => names.has(nameOf(name)));
  return Object.fromEntries(named.map((name) => [name, (candidate as Record<string, unknown>)[name]]));
}

/** Returns the fields that a matching value must have: of `type eq "work"`, or of several such terms with `and`. */
export function impliedBy(filter: Filter): Record<string, unknown> | undefined {
  if (filter.op === 'eq' && 'compValue' in filter) return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and' || !('filters' in filter)) return undefined;
  const implied = filter.filters.map(impliedBy);
  return implied.includes(undefined) ? undefined : Object.assign({}, ...implied);
}

/** Looks up sub-attributes of a complex attribute. */
export function partsOf(attribute: ScimAttribute | undefined): Definitions {
  return (name) => attribute?.subAttributes?.find((sub) => sub.name.toLowerCase() === name);
}

/** Normalizes a filter: Entra ID sends `primary eq "True"`, and a complex attribute is compared by its `value`. */
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
