import type { OperationStatus, OperationType } from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface Operation {
  id: string;
  type: OperationType;
  input: unknown;
  status: OperationStatus;
  /** What takes it back. */
  undo: unknown;
  revertedBy: string | null;
}

export async function lockOperation(tx: Transaction, tenantId: string, id: string): Promise<Operation | undefined> {
  const [row] = await tx.query<Operation>(
    `select id, type, input, status, undo, reverted_by as "revertedBy" from operations
      where tenant_id = $1 and id = $2 for update`,
    [tenantId, id],
  );
  return row;
}

/** Operations of a tenant that were announced `olderThanMs` ago, marked as announced anew; some at a time. One that is being done is passed over. */
export async function takeUnansweredOperations(
  tx: Transaction,
  tenantId: string,
  olderThanMs: number,
  limit: number,
): Promise<{ id: string }[]> {
  return tx.query(
    `update operations set announced_at = now() where id in (
       select id from operations
        where tenant_id = $1 and status = 'queued' and announced_at < now() - $2 * interval '1 millisecond'
        order by announced_at limit $3 for update skip locked)
     returning id`,
    [tenantId, olderThanMs, limit],
  );
}

export async function endOperation(
  tx: Transaction,
  id: string,
  end: { status: OperationStatus; result: object; undo?: object },
): Promise<void> {
  await tx.query('update operations set status = $2, result = $3, undo = $4, ended_at = now() where id = $1', [
    id,
    end.status,
    JSON.stringify(end.result),
    end.undo ? JSON.stringify(end.undo) : null,
  ]);
}

export async function markReverted(tx: Transaction, id: string, by: string): Promise<void> {
  await tx.query('update operations set reverted_by = $2 where id = $1', [id, by]);
}
