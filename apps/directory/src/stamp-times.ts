import type { TimedCause } from './cause.js';
import type { RecordChange } from './record-change.js';
import { sameValues } from './value-sets.js';

/**
 * Replaces the preliminary times of changed records, which were set before the tenant's sequence was locked. A date that
 * is not the object of `before` is preliminary.
 */
export function stampTimes(changes: Iterable<RecordChange>, { now, at }: Pick<TimedCause, 'now' | 'at'>): void {
  const [preliminary, assigned] = [now.toISOString(), at.toISOString()];
  for (const { record, before } of changes) {
    if (record === before) continue;
    if (record.updatedAt !== before?.updatedAt) record.updatedAt = at;
    if (!before) record.createdAt = at;
    if (record.evidence?.at === preliminary) record.evidence = { ...record.evidence, at: assigned };
    record.changedAt = Object.fromEntries(
      Object.entries(record.changedAt).map(([field, time]) => {
        const isChanged = time === preliminary && !sameValues(before?.fields[field], record.fields[field]);
        return [field, isChanged ? assigned : time];
      }),
    );
  }
}
