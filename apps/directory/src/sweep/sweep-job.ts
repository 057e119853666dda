import type { Message } from '@idsync/contracts';
import {
  countDoneDeletions,
  countEntries,
  countKnownBefore,
  countRemovals,
  type Database,
  dropEntries,
  dropRemovals,
  enqueue,
  findJobState,
  findOpenEntries,
  findOvertaken,
  findRepeated,
  findSafeguard,
  findSeenProof,
  type JobState,
  keepFromCancelling,
  lockPlan,
  markEntriesDone,
  planDeletions,
  type SyncPlan,
  savePlan,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import { learnTenant } from '../cause.js';
import { repeatedRecord } from '../read-batch.js';
import { tellOvertaken } from '../tell-overtaken.js';
import { changesOf } from './carry-out.js';
import { whyHeld } from './guard.js';
import { whyIncomplete } from './why-incomplete.js';

/** Records a transaction. */
const portion = 500;
/** Repeated records that are told one by one. */
const mostNamed = 1_000;

/**
 * Takes away what a completely read source no longer lists, or holds all of it for an operator. The plan is written down
 * first, and every portion is marked in the transaction that carries it out: killed and delivered again, it goes on.
 */
export async function sweepJob(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.requested'>,
  now: Date = new Date(),
): Promise<void> {
  const ready = await database.transaction(tenantId, (tx) => planSweep(tx, tenantId, data.job_id));
  while (ready && (await database.transaction(tenantId, (tx) => carryOut(tx, tenantId, data.job_id, now))));
}

/** True if there may be something to carry out now. */
async function planSweep(tx: Transaction, tenantId: string, jobId: string): Promise<boolean> {
  await keepFromCancelling(tx, jobId);
  const job = await findJobState(tx, jobId);
  if (job?.status !== 'running') return false;
  let plan = await lockPlan(tx, tenantId, job);
  if (plan.state === 'open') plan = await completePlan(tx, tenantId, job, plan);
  if (plan.state === 'held' && job.released) plan.state = 'ready';
  await savePlan(tx, plan);
  if (plan.state === 'held') {
    await enqueue(tx, { type: 'sync.sweep.held', tenantId, data: { job_id: jobId, note: plan.note ?? 'held back' } });
    return false;
  }
  if (job.dryRun) {
    const { note } = plan;
    await enqueue(tx, { type: 'sync.sweep.ended', tenantId, data: { job_id: jobId, deleted: 0, note } });
  }
  return !job.dryRun;
}

/** Adds what the source no longer lists, and asks the safeguard. */
async function completePlan(tx: Transaction, tenantId: string, job: JobState, plan: SyncPlan): Promise<SyncPlan> {
  const { incomplete, missing } = await planMissing(tx, tenantId, job);
  // Whoever asked for this one record has named it.
  if (job.mode === 'record') return { ...plan, state: 'ready' };
  const { deletions, disables } = await countHarm(tx, job, plan, missing);
  if (deletions + disables === 0) return { ...plan, state: 'ready', ...(incomplete && { note: incomplete }) };
  const known = plan.known ?? (await countKnownBefore(tx, job.connectorId, job.id));
  const guard = await findSafeguard(tx, job.connectorId);
  const held = whyHeld(guard, { known, deletions, disables }, job.recordsRead === 0);
  const notes = [incomplete, held].filter((note) => note !== undefined);
  const note = notes.length > 0 ? notes.join('; ') : undefined;
  // A dry run takes nothing away: its plan only says what would happen.
  const state = held === undefined || job.dryRun ? 'ready' : 'held';
  return { ...plan, known, deletions, disables, state, note };
}

/** How many are gone: whom a run of changes or of one record was told of, and whom a run of everything did not see, unless it may have overlooked them. */
async function planMissing(
  tx: Transaction,
  tenantId: string,
  job: JobState,
): Promise<{ missing: number; incomplete?: string }> {
  if (job.mode === 'changes' || job.mode === 'record') return { missing: await countRemovals(tx, job.id) };
  // Of before its source forgot what had changed, and it read everything.
  await dropRemovals(tx, job.id);
  const incomplete = whyIncomplete(job, await findSeenProof(tx, job.id));
  if (incomplete !== undefined) return { missing: 0, incomplete };
  const planned = await planDeletions(tx, tenantId, job);
  // Who came while it was read, and by a job of their own, need not be among those it has seen.
  const overtaken = await dropEntries(tx, job.id, await findOvertaken(tx, job.id));
  await tellOvertaken(tx, tenantId, job.id, overtaken);
  return { missing: overtaken.length === 0 ? planned : await countRemovals(tx, job.id) };
}

/** A run has counted what its batches take away; of a dry run all of that stands in the plan. */
async function countHarm(
  tx: Transaction,
  job: JobState,
  plan: SyncPlan,
  missing: number,
): Promise<{ deletions: number; disables: number }> {
  if (!job.dryRun) return { deletions: plan.deletions + missing, disables: plan.disables };
  const counts = await countEntries(tx, job.id);
  return { deletions: counts.delete, disables: counts.disable };
}

/** Carries out the next portion; false once the sweep is over. */
async function carryOut(tx: Transaction, tenantId: string, jobId: string, now: Date): Promise<boolean> {
  await keepFromCancelling(tx, jobId);
  const job = await findJobState(tx, jobId);
  // Cancelled meanwhile.
  if (job?.status !== 'running') return false;
  const tenant = await learnTenant(tx, tenantId, job.kind === 'machine_identity' ? 'alone' : 'shared');
  const plan = await lockPlan(tx, tenantId, job);
  const entries = await findOpenEntries(tx, jobId, portion);
  if (entries.length === 0) {
    await savePlan(tx, { ...plan, state: 'done' });
    const deleted = await countDoneDeletions(tx, jobId);
    // What was held back and then released is no news any more.
    const note = job.released ? undefined : plan.note;
    const { count, externalIds } = await findRepeated(tx, jobId, mostNamed);
    const errors = externalIds.map(repeatedRecord);
    await enqueue(tx, {
      type: 'sync.sweep.ended',
      tenantId,
      data: { job_id: jobId, deleted, note, ...(count > 0 && { repeated: count, errors }) },
    });
    return false;
  }
  await markEntriesDone(
    tx,
    entries.map(({ id }) => id),
  );
  const { changes, overtaken } = await changesOf(tx, job, entries, now);
  await tellOvertaken(tx, tenantId, jobId, await dropEntries(tx, jobId, overtaken));
  await applyChanges(tx, { ...tenant, jobId, now }, changes);
  return true;
}
