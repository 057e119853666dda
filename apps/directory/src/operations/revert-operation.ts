import {
  findRedirects,
  type LinkEvidence,
  lockIdentities,
  lockOperation,
  lockRecordsById,
  markReverted,
  reopenCase,
  type StoredRecord,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import { shownValue } from '../matching/fuzzy-links.js';
import { byId } from '../shared/collections.js';
import { refuseErased } from './move-records.js';
import { type Handler, Refused, type Undo } from './outcome.js';

/** Restores every link from before a merge, a split or a resolved case. Refuses if a record has moved since. */
export const revertOperation: Handler<'operation.revert'> = async (tx, cause, { operation_id }) => {
  const done = await lockOperation(tx, operation_id);
  if (!done) throw new Refused('the operation does not exist');
  if (done.status !== 'done' || !done.undo) throw new Refused(`this ${done.type} cannot be reverted`);
  if (done.revertedBy) throw new Refused('the operation has already been reverted');
  const { links, case_id } = done.undo as Undo;

  const linked = links.map((link) => link.record_id);
  const records = byId(await lockRecordsById(tx, linked));
  if (links.length > 0 && records.size === 0) throw new Refused('the records that it moved no longer exist');
  for (const { record_id, to_id } of links) {
    const record = records.get(record_id);
    if (record && (record.identityId ?? null) !== to_id) throw new Refused('a record has moved since the operation');
  }
  const former = links.flatMap(({ from }) => from.identity_id ?? []);
  refuseErased(await lockIdentities(tx, former));
  const revived = byId(await findRedirects(tx, former));
  // Reopened before the records move, because a new dispute then updates this case instead of opening a second one.
  const reopened = case_id && (await reopenCase(tx, case_id, operation_id, cause.now));
  const doubted = reopened && !records.has(reopened) ? await lockRecordsById(tx, [reopened]) : [];
  await applyChanges(tx, { ...cause, revived }, [
    ...links.flatMap(({ record_id, from }) => {
      const before = records.get(record_id);
      if (!before) return [];
      const record = {
        ...before,
        identityId: from.identity_id ?? undefined,
        decided: from.decided,
        linkedBy: from.linked_by,
      };
      const evidence = from.evidence && withValues(from.evidence, before, records);
      return [{ before, placed: true, record: { ...record, updatedAt: cause.now }, ...(evidence && { evidence }) }];
    }),
    // Its case was ignored, and is settled again if the record has found its person since.
    ...doubted.map((record) => ({ before: record, record })),
  ]);
  await markReverted(tx, operation_id, cause.operationId ?? operation_id);
  return { result: { reverted_operation_id: operation_id } };
};

/** Returns the evidence of a restored link with the values that the records have now. */
function withValues(
  { identity_id: _, values, ...evidence }: LinkEvidence,
  { fields }: StoredRecord,
  records: ReadonlyMap<string, StoredRecord>,
): Omit<LinkEvidence, 'identity_id'> {
  const other = evidence.record_id === undefined ? undefined : records.get(evidence.record_id);
  const shown = values?.map(({ field }) => ({
    field,
    value: shownValue(fields, field),
    ...(other && { other: shownValue(other.fields, field) }),
  }));
  return { ...evidence, ...(shown && { values: shown }) };
}
