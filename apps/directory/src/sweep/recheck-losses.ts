import type { Database, Transaction } from '@idsync/database';
import { findJobState, findOpenEntries, keepAccess, lockPlan, planMarks } from '@idsync/database/directory';
import { runChunk } from '../batch/divide-batch.js';
import { applyChanges } from '../changes/apply-changes.js';
import { causedAt, loadTenant } from '../changes/cause.js';
import { accessChangesOf, externalIdsOf } from './access.js';
import { plannedChanges } from './planned-changes.js';

/** The planned changes that would take access. */
export const losses = { actions: ['disable' as const], mark: planMarks.losing };

/** Entries of the plan per transaction. */
const chunkSize = 500;

/**
 * Tries again the changes that would take access, after all batches of the run: a record of a later batch may give the
 * person access, such as another employment. They then count and wait as what they are for their records.
 */
export async function recheckLosses(
  database: Database,
  tenantId: string,
  jobId: string,
  fixedTime: Date | undefined,
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const beyond: number = after;
    after = await runChunk(database, tenantId, chunkSize, (tx, size) =>
      recheckChunk(tx, { tenantId, jobId, fixedTime }, beyond, size),
    );
  }
}

/** Returns the id of the last entry that it has tried, or undefined if there is none. */
async function recheckChunk(
  tx: Transaction,
  { jobId, fixedTime }: { tenantId: string; jobId: string; fixedTime: Date | undefined },
  after: number,
  size: number,
): Promise<number | undefined> {
  const job = await findJobState(tx, jobId);
  if (job?.status !== 'running' || job.dryRun) return undefined;
  const tenant = await loadTenant(tx, job.kind === 'machine_identity');
  const plan = await lockPlan(tx, job);
  if (plan.state !== 'open') return undefined;
  const entries = await findOpenEntries(tx, jobId, size, { ...losses, after });
  if (entries.length === 0) return undefined;
  const cause = { ...tenant, jobId, ...causedAt(fixedTime) };
  const { changes } = await plannedChanges(tx, job, entries, cause);
  const settled = await tx.rolledBack(() => applyChanges(tx, cause, changes));
  const { takers } = accessChangesOf(settled, changes);
  const taking = externalIdsOf(takers, changes);
  await keepAccess(
    tx,
    jobId,
    entries.flatMap(({ id, externalId }) => (taking.has(externalId) ? [] : id)),
  );
  return entries.at(-1)?.id;
}
