import type { FormerReference } from '@idsync/database/directory';
import type { RecordChange } from '../record-change.js';

/** Returns the reference in this field that a change ends; undefined if there was none, or the person and the text stay. */
export function endedReference(
  { record, before }: RecordChange,
  field: string,
  { was, is }: { was: string | null | undefined; is: string | undefined },
): FormerReference | undefined {
  const text = before?.fields[field]?.[0];
  if (!was || (was === is && text === record.fields[field]?.[0])) return undefined;
  return { recordId: record.id, identityId: was, text };
}

/** Returns the managers that these users no longer have, or name by another text. */
export function formerManagers(changes: readonly RecordChange[]): FormerReference[] {
  return changes.flatMap(
    (change) =>
      endedReference(change, 'manager_id', { was: change.before?.managerId, is: change.record.managerId }) ?? [],
  );
}
