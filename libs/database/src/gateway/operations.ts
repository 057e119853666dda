import { newUuid, type OperationInput, type OperationType } from '@idsync/contracts';
import { enqueue } from '../bus/outbox.js';
import type { Transaction } from '../database.js';
import { OperationEntity } from '../entities/matching.entities.js';
import { findRow, insertRow } from '../rows.js';
import { findPage, type Page, type Rows } from './page.js';

export type OperationRow = Omit<OperationEntity, 'undo'>;

/** Stores an operation and notifies the directory, in one transaction. */
export async function requestOperation<T extends OperationType>(
  tx: Transaction,
  tenantId: string,
  type: T,
  input: OperationInput<T>,
): Promise<OperationRow> {
  const operation = await insertRow(tx, OperationEntity, { id: newUuid(), tenantId, type, input });
  await enqueue(tx, { type: 'directory.operation.requested', tenantId, data: { operation_id: operation.id } });
  return operation;
}

export function findOperation(tx: Transaction, tenantId: string, id: string): Promise<OperationRow | undefined> {
  return findRow(tx, OperationEntity, { where: { tenantId, id } });
}

/** Lists operations, newest first. */
export function listOperations(tx: Transaction, tenantId: string, page: Page): Promise<Rows<OperationRow>> {
  return findPage(tx, OperationEntity, page, { where: { tenantId }, order: { id: 'DESC' } });
}
