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
