import { type FieldChange, jsonBytes, volumeLimits } from '@idsync/contracts';

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
