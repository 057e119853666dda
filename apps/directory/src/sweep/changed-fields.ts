import { isRealDate, type Safeguard } from '@idsync/contracts';
import { planMarks } from '@idsync/database/directory';
import type { KeyRules } from '../matching/key-rules.js';
import type { RecordChange } from '../record-change.js';
import { sameValues } from '../value-sets.js';
import { isEnabled } from './guard.js';
import { isReused } from './reused-ids.js';

/**
 * Returns what the safeguard counts of a change: the fields that it changes, a return to `active`, and an external id that
 * belongs to another person now.
 */
export function countedChanges(
  change: RecordChange,
  guard: Pick<Safeguard, 'changed_fields'> | undefined,
  rules: KeyRules,
): string[] {
  const fields = guard ? changedFieldsOf(change, guard.changed_fields) : [];
  return [
    ...fields,
    ...(isEnabled(change) ? [planMarks.enabled] : []),
    ...(isReused(change, rules) ? [planMarks.reused] : []),
  ];
}

/**
 * Returns those of the fields whose stored value changes or is lost. A value where there was none is no loss, except the
 * date on which the person will lose access.
 */
function changedFieldsOf(
  { record, before }: Pick<RecordChange, 'record' | 'before'>,
  fields: readonly string[],
): string[] {
  if (!before) return [];
  return fields.filter((field) => {
    const from = before.fields[field];
    const isNewEnd = field === 'termination_date' && record.fields[field]?.some(isRealDate) === true;
    return ((from !== undefined && from.length > 0) || isNewEnd) && !sameValues(from ?? [], record.fields[field]);
  });
}
