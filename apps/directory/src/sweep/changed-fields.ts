import type { RecordChange } from '../record-change.js';
import { sameValues } from '../value-sets.js';

/** Returns those of the fields whose stored value changes or is lost. A value where there was none is no loss. */
export function changedFieldsOf(
  { record, before }: Pick<RecordChange, 'record' | 'before'>,
  fields: readonly string[],
): string[] {
  if (!before) return [];
  return fields.filter((field) => {
    const from = before.fields[field];
    return from !== undefined && from.length > 0 && !sameValues(from, record.fields[field]);
  });
}
