import { type FieldChange, jsonBytes, volumeLimits } from '@idsync/contracts';
import { groupIdsField } from '@idsync/database/directory';
import { type Fields, sameValues } from '../shared/collections.js';

/**
 * Limits the size of changes that events and plans store. Keeps all field names, and values in the order of the fields
 * as far as they fit.
 */
export function boundChanges(
  changes: readonly FieldChange[],
  maxBytes: number = volumeLimits.changeBytes,
): { changes: FieldChange[]; values_left_out?: true } {
  if (changes.reduce((sum, change) => sum + maxJsonBytes(change.from) + maxJsonBytes(change.to), 0) <= maxBytes)
    return { changes: [...changes] };
  let left = maxBytes;
  const bounded = changes.map((change) => {
    const bytes = jsonBytes([change.from, change.to]);
    const { from: _from, to: _to, ...rest } = change;
    if (bytes > left) return rest;
    left -= bytes;
    return change;
  });
  const isCut = bounded.some((change, at) => change !== changes[at]);
  return { changes: bounded, ...(isCut && { values_left_out: true }) };
}

/** Upper bound of the bytes as JSON, which takes at most six per UTF-16 unit; avoids serializing most changes. */
function maxJsonBytes(value: string | string[] | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === 'string') return 6 * value.length + 4;
  return value.reduce((sum, each) => sum + 6 * each.length + 4, 4);
}

/**
 * Returns the changes between two states of a source's fields, ordered by field name; `source` is the connector's
 * public id. The values of a field are compared as a set. Ids of groups are none of the source's fields.
 */
export function diffFields(before: Fields, after: Fields, source: string): FieldChange[] {
  const added = Object.keys(after).filter((field) => !Object.hasOwn(before, field));
  const names = [...Object.keys(before), ...added].filter((field) => field !== groupIdsField).sort();
  return names.flatMap((field) => {
    const [from, to] = [before[field], after[field]];
    return sameValues(from, to) ? [] : [{ field, from: from && shown(from), to: to && shown(to), source }];
  });
}

function shown(values: readonly string[]): string | string[] {
  return values.length === 1 ? (values[0] ?? '') : [...values];
}
