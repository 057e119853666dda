// SQL by hand: an advisory lock.
import type { Transaction } from '../database.js';
import { BatchBegunEntity } from '../entities/sync.entities.js';
import { findRow } from '../rows.js';

/** State of a batch that stopped a process, or may have. Records are identified by their position in the batch. */
export type BatchState = Pick<BatchBegunEntity, 'processId' | 'first' | 'beyond' | 'stops' | 'cuts' | 'leftOut'>;

/** Finds the state that earlier processes stored for a batch; undefined if there is none. */
export function findBatchState(tx: Transaction, jobId: string, seq: number): Promise<BatchState | undefined> {
  return findRow(tx, BatchBegunEntity, { where: { jobId, seq } });
}

export async function saveBatchState(
  tx: Transaction,
  tenantId: string,
  { jobId, seq }: { jobId: string; seq: number },
  { processId, first, beyond, stops, cuts, leftOut }: BatchState,
): Promise<void> {
  const note = { jobId, seq, tenantId, processId, first, beyond, stops, cuts, leftOut };
  await tx.manager.upsert(BatchBegunEntity, note, ['jobId', 'seq']);
}

/** Deletes the state of an applied batch. */
export async function deleteBatchState(tx: Transaction, jobId: string, seq: number): Promise<void> {
  await tx.manager.delete(BatchBegunEntity, { jobId, seq });
}

/**
 * Takes a lock on applying this batch part by part until the end of the transaction. Returns false if another process
 * has it.
 */
export async function tryLockBatch(tx: Transaction, jobId: string, seq: number): Promise<boolean> {
  const [row] = await tx.query<{ held: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held', [
    `batch ${jobId} ${seq}`,
  ]);
  return row?.held ?? false;
}
