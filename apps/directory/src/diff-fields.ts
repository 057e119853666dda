import type { FieldChange } from '@idsync/contracts';
import { sameValues } from './value-sets.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the changes between two states of a source's fields, ordered by field name; `source` is the connector's
 * public id. The values of a field are compared as a set.
 */
export function diffFields(before: Fields, after: Fields, source: string): FieldChange[] {
  const added = Object.keys(after).filter((field) => !Object.hasOwn(before, field));
  const names = [...Object.keys(before), ...added].sort();
  return names.flatMap((field) => {
    const from = before[field];
    const to = after[field];
    if (sameValues(from, to)) return [];
    return [{ field, ...(from && { from: shown(from) }), ...(to && { to: shown(to) }), source }];
  });
}

function shown(values: readonly string[]): string | string[] {
  return values.length === 1 ? (values[0] ?? '') : [...values];
}
