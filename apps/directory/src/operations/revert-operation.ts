import type { OperationInput } from '@idsync/contracts';
import {
  closeCase,
  findRedirects,
  lockIdentities,
  lockOperation,
  lockRecordsById,
  markReverted,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { refuseErased } from './move-records.js';
import { type Outcome, Refused, type Undo } from './outcome.js';

/** Puts every record back where it was before a merge, a split or a resolved case, if it has not moved since. */
export async function revertOperation(
  tx: Transaction,
  cause: Cause,
  { operation_id }: OperationInput<'operation.revert'>,
): Promise<Outcome> {
  const done = await lockOperation(tx, cause.tenantId, operation_id);
  if (!done) throw new Refused('there is no such operation');
  if (done.status !== 'done' || !done.undo) throw new Refused(`there is nothing to take back of this ${done.type}`);
  if (done.revertedBy) throw new Refused('the operation was taken back already');
  const { links, case_id } = done.undo as Undo;

  const records = new Map(
    (
      await lockRecordsById(
        tx,
        links.map((link) => link.record_id),
      )
    ).map((each) => [each.id, each]),
  );
  if (links.length > 0 && records.size === 0) throw new Refused('the records it moved are there no more');
  for (const { record_id, to_id } of links) {
    const record = records.get(record_id);
    if (record && (record.identityId ?? null) !== to_id) throw new Refused('a record has been moved since');
  }
  const former = links.flatMap(({ from }) => from.identity_id ?? []);
  refuseErased(await lockIdentities(tx, former));
  const revived = new Map((await findRedirects(tx, former)).map(({ id, createdAt }) => [id, createdAt]));
  await applyChanges(
    tx,
    { ...cause, revived },
    links.flatMap(({ record_id, from }) => {
      const before = records.get(record_id);
      if (!before) return [];
      const record = {
        ...before,
        identityId: from.identity_id ?? undefined,
        decided: from.decided,
        linkedBy: from.linked_by,
      };
      return [{ before, placed: true, record: { ...record, updatedAt: cause.now } }];
    }),
  );
  if (case_id) await closeCase(tx, case_id, 'open', operation_id, cause.now);
  await markReverted(tx, operation_id, cause.operationId ?? operation_id);
  return { result: { reverted_operation_id: operation_id } };
}
