import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  findRedirects,
  lockIdentities,
  lockOperation,
  lockRecordsById,
  markReverted,
  reopenCase,
} from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { refuseErased } from './move-records.js';
import { type Outcome, Refused, type Undo } from './outcome.js';
import { withValues } from './restore-evidence.js';

/** Restores every link from before a merge, a split or a resolved case. Refuses if a record has moved since. */
export async function revertOperation(
  tx: Transaction,
  cause: Cause,
  { operation_id }: OperationInput<'operation.revert'>,
): Promise<Outcome<'operation.revert'>> {
  const done = await lockOperation(tx, cause.tenantId, operation_id);
  if (!done) throw new Refused('the operation does not exist');
  if (done.status !== 'done' || !done.undo) throw new Refused(`this ${done.type} cannot be reverted`);
  if (done.revertedBy) throw new Refused('the operation has already been reverted');
  const { links, case_id } = done.undo as Undo;

  const records = new Map(
    (
      await lockRecordsById(
        tx,
        links.map((link) => link.record_id),
      )
    ).map((each) => [each.id, each]),
  );
  if (links.length > 0 && records.size === 0) throw new Refused('the records that it moved no longer exist');
  for (const { record_id, to_id } of links) {
    const record = records.get(record_id);
    if (record && (record.identityId ?? null) !== to_id) throw new Refused('a record has moved since the operation');
  }
  const former = links.flatMap(({ from }) => from.identity_id ?? []);
  refuseErased(await lockIdentities(tx, former));
  const revived = new Map((await findRedirects(tx, former)).map((each) => [each.id, each]));
  // Reopened before the records move, because a new dispute then updates this case instead of opening a second one.
  const reopened = case_id && (await reopenCase(tx, cause.tenantId, case_id, operation_id, cause.now));
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
}
