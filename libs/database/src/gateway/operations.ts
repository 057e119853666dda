import { newUuid, type OperationInput, type OperationStatus, type OperationType } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { enqueue } from '../outbox.js';
import { count, type Page, type Rows } from './page.js';

export interface OperationRow {
  id: string;
  type: OperationType;
  status: OperationStatus;
  input: Record<string, unknown>;
  createdAt: Date;
  endedAt: Date | null;
  result: Record<string, unknown> | null;
  revertedBy: string | null;
}

const columns = `id, type, status, input, created_at as "createdAt", ended_at as "endedAt", result, reverted_by as "revertedBy"`;

/** Writes down what an operator wants and tells the directory, in one transaction. */
export async function requestOperation<T extends OperationType>(
  tx: Transaction,
  tenantId: string,
  type: T,
  input: OperationInput<T>,
): Promise<OperationRow> {
  const id = newUuid();
  const [row] = await tx.query<OperationRow>(
    `insert into operations (id, tenant_id, type, input) values ($1, $2, $3, $4) returning ${columns}`,
    [id, tenantId, type, JSON.stringify(input)],
  );
  if (!row) throw new Error('an operation was not inserted');
  await enqueue(tx, { type: 'directory.operation.requested', tenantId, data: { operation_id: id } });
  return row;
}

export async function findOperation(tx: Transaction, tenantId: string, id: string): Promise<OperationRow | undefined> {
  const [row] = await tx.query<OperationRow>(`select ${columns} from operations where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ]);
  return row;
}

/** Newest first. */
export async function listOperations(tx: Transaction, tenantId: string, page: Page): Promise<Rows<OperationRow>> {
  const rows = await tx.query<OperationRow>(
    `select ${columns} from operations where tenant_id = $1 order by id desc limit $2 offset $3`,
    [tenantId, page.limit, page.offset],
  );
  return { rows, total: await count(tx, 'select count(*) from operations where tenant_id = $1', [tenantId]) };
}
