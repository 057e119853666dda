// SQL by hand: a bulk update that skips locked rows, and a condition on inputs.
import type { OperationStatus, OperationType } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { OperationEntity, type OperationProgress } from '../entities/matching.entities.js';
import { findRow } from '../rows.js';

export type { OperationProgress } from '../entities/matching.entities.js';

export type Operation = Pick<
  OperationEntity,
  'id' | 'type' | 'input' | 'status' | 'result' | 'undo' | 'revertedBy' | 'progress'
>;

const columns = {
  id: true,
  type: true,
  input: true,
  status: true,
  result: true,
  undo: true,
  revertedBy: true,
  progress: true,
} as const;

export function findOperation(tx: Transaction, id: string): Promise<Operation | undefined> {
  return findRow(tx, OperationEntity, { select: columns, where: { tenantId: tx.tenantId, id } });
}

export function lockOperation(tx: Transaction, id: string): Promise<Operation | undefined> {
  return findRow(tx, OperationEntity, {
    select: columns,
    where: { tenantId: tx.tenantId, id },
    lock: { mode: 'pessimistic_write' },
  });
}

/** Shows in the result of a running operation what its next part waits for. */
export const waitingFor = 'waiting_for';

/**
 * Marks a tenant's unfinished operations that were published `olderThanMs` ago, or that wait for the end of a sync job, as
 * published again, and returns them. Skips an operation in progress.
 */
export async function takeUnansweredOperations(
  tx: Transaction,
  which: { olderThanMs: number } | 'waiting',
  limit: number,
): Promise<{ id: string }[]> {
  const [condition, value] =
    which === 'waiting'
      ? ['result ? $2', waitingFor]
      : [`announced_at < now() - $2 * interval '1 millisecond'`, which.olderThanMs];
  return tx.query(
    `update operations set announced_at = now() where tenant_id = $1 and id = any(array(
       select id from operations
        where tenant_id = $1 and status in ('queued', 'running') and ${condition}
        order by announced_at limit $3 for update skip locked))
     returning id`,
    [tx.tenantId, value, limit],
  );
}

/** Ends an operation. Hashes of an erased person are stored as its suppression only, so that it can be lifted. */
export async function endOperation(
  tx: Transaction,
  id: string,
  { status, result, undo }: { status: OperationStatus; result: object; undo?: object },
): Promise<void> {
  const ended = { status, result, undo: undo ?? null, endedAt: () => 'now()', input: () => "input - 'suppress'" };
  await tx.manager.update(OperationEntity, { tenantId: tx.tenantId, id }, ended);
}

/** Stores how far a change is made, and its result so far. */
export async function saveProgress(
  tx: Transaction,
  id: string,
  { progress, result }: { progress: OperationProgress; result: object },
): Promise<void> {
  const running = { status: 'running' as const, progress, result, announcedAt: () => 'now()' };
  await tx.manager.update(OperationEntity, { tenantId: tx.tenantId, id }, running);
}

/** Locks the operations of this type that are still made in parts. */
export function lockRunning(tx: Transaction, type: OperationType): Promise<Operation[]> {
  return tx.manager.find(OperationEntity, {
    select: columns,
    where: { tenantId: tx.tenantId, type, status: 'running' },
    lock: { mode: 'pessimistic_write' },
  });
}

/** Returns whether an operation of this type took effect after the given one was requested. */
export async function hasLaterOperation(
  tx: Transaction,
  { id, type }: Pick<Operation, 'id' | 'type'>,
): Promise<boolean> {
  const [row] = await tx.query<{ later: boolean }>(
    `select exists (select from operations where tenant_id = $1 and id > $2 and type = $3 and status in ('done', 'running', 'cancelled')
                       and (input -> 'preview') is distinct from 'true') as later`,
    [tx.tenantId, id, type],
  );
  return row?.later ?? false;
}

export async function markReverted(tx: Transaction, id: string, by: string): Promise<void> {
  await tx.manager.update(OperationEntity, { tenantId: tx.tenantId, id }, { revertedBy: by });
}
