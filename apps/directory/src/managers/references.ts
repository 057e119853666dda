import { comparedText } from '@idsync/contracts';
import type { FormerReference, ManagerReference, StoredRecord } from '@idsync/database/directory';
import type { RecordChange } from '../changes/record-change.js';
import { normaliseText } from '../matching/record-keys.js';
import { isPlaceholder } from '../matching/stop-values.js';

/** True for a placeholder in place of a manager, such as `none` or `N/A`. */
export function isNoReference(text: string): boolean {
  const value = normaliseText(text);
  return value === undefined || isPlaceholder(value);
}

/** Returns the reference of a user to the manager; undefined without one. */
export function managerReference(
  user: Pick<StoredRecord, 'id' | 'connectorId'>,
  named: string | null | undefined,
): ManagerReference | undefined {
  const text = named ? comparedText(named) : undefined;
  const value = normaliseText(text);
  if (text === undefined || value === undefined || isNoReference(text)) return undefined;
  return { recordId: user.id, connectorId: user.connectorId, text, value };
}

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
