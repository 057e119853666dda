import type { Safeguard } from '@idsync/contracts';
import { enabledMark } from '@idsync/database/directory';
import type { RecordChange } from '../record-change.js';
import { sameValues } from '../value-sets.js';
import { isEnabled } from './guard.js';

/** Returns what the safeguard counts of a change: the fields that it changes, and a return to `active`. */
export function countedChanges(change: RecordChange, guard: Pick<Safeguard, 'changed_fields'> | undefined): string[] {
  const fields = guard ? changedFieldsOf(change, guard.changed_fields) : [];
  return isEnabled(change) ? [...fields, enabledMark] : fields;
}

/** Returns those of the fields whose stored value changes or is lost. A value where there was none is no loss. */
function changedFieldsOf(
  { record, before }: Pick<RecordChange, 'record' | 'before'>,
  fields: readonly string[],
): string[] {
  if (!before) return [];
  return fields.filter((field) => {
    const from = before.fields[field];
    return from !== undefined && from.length > 0 && !sameValues(from, record.fields[field]);
  });
}
