import { defaultMatchingRules, type Message } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  addLosses,
  countDoneDeletions,
  countEntries,
  countKnownBefore,
  countLastActive,
  countMarks,
  countRecentRemovals,
  countTaking,
  dropEntries,
  dropRemovals,
  findGuardOfPeople,
  findJobState,
  findOpenEntries,
  findOvertaken,
  findRepeatedRecords,
  findRunCoverage,
  findSafeguard,
  findStaleRecords,
  findUnappliedCreations,
  type JobState,
  lockPlan,
  markEntriesDone,
  noMarks,
  planDeletions,
  preventCancellation,
  purgeEndedRuns,
  type SyncPlan,
  savePlan,
} from '@idsync/database/directory';
import { countActivePeople, findLifecyclePolicy, findMatchingRules } from '@idsync/database/settings';
import { runChunk } from '../batch/divide-batch.js';
import { beyondQuota, peopleLimit, withinQuota } from '../batch/people-quota.js';
import { repeatedRecord, reportOvertaken } from '../batch/read-batch.js';
import { applyChanges } from '../changes/apply-changes.js';
import { causedAt, loadTenant } from '../changes/cause.js';
import { idsOf } from '../shared/collections.js';
import { lossesOf } from './access.js';
import { deferToHeldJob } from './beside-held-job.js';
import { chooseRows } from './choose-rows.js';
import { boundsAdditions, quarantineNote, quarantineReasons } from './guard.js';
import { moveAnchors } from './move-anchors.js';
import { plannedChanges } from './planned-changes.js';
import { losses, recheckLosses } from './recheck-losses.js';
import { additionsOf, lossesBefore, reportsDeletions, whyIncomplete } from './run-counts.js';

/** Records per transaction. */
const chunkSize = 500;
/** Maximum number of repeated records that are reported individually. */
const maxReported = 1_000;
/** Maximum number of repeated records that are read again, each by a job. */
const maxReadAgain = 100;

/**
 * Deletes the records that a completely read source no longer lists and applies what the batches have set aside, or
 * quarantines the job. Stores the plan first and marks every chunk in the transaction that applies it, so
 * that a redelivered message continues.
 */
export async function sweepJob(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.requested'>,
  fixedTime?: Date,
): Promise<void> {
  const plan = (isRechecked: boolean) =>
    database.transaction(tenantId, (tx) => planSweep(tx, data.job_id, { fixedTime, isRechecked }));
  let scope = await plan(false);
  if (scope === 'recheck') {
    await recheckLosses(database, tenantId, data.job_id, fixedTime);
    scope = await plan(true);
  }
  if (!scope || scope === 'recheck') return;
  const applyNext = () =>
    runChunk(database, tenantId, chunkSize, (tx, size) => applyChunk(tx, data.job_id, { scope, fixedTime, size }));
  while (await applyNext());
}

/** `additions`: only new people and changes, because the deletions and disables of the plan are held. */
type Scope = 'all' | 'additions';

/** Returns which entries may be applied now, undefined for none; `recheck` if some are to be tried again before. */
async function planSweep(
  tx: Transaction,
  jobId: string,
  { fixedTime, isRechecked }: { fixedTime: Date | undefined; isRechecked: boolean },
): Promise<Scope | 'recheck' | undefined> {
  await preventCancellation(tx, jobId);
  const job = await findJobState(tx, jobId);
  if (job?.status !== 'running') return undefined;
  let plan = await lockPlan(tx, job);
  if (plan.state === 'open') {
    if (!isRechecked && !reportsDeletions(job)) await chooseRows(tx, jobId, causedAt(fixedTime).now);
    if (!isRechecked && !job.dryRun && (await findOpenEntries(tx, jobId, 1, losses)).length > 0) return 'recheck';
    plan = await completePlan(tx, { job, plan, now: causedAt(fixedTime).now });
  }
  if (plan.state === 'held' && job.released) plan.state = 'ready';
  // Most runs plan nothing, and end here.
  if (plan.state !== 'held' && !job.dryRun && (await findOpenEntries(tx, jobId, 1)).length === 0) {
    await endSweep(tx, { job, plan, limit: await peopleLimit(tx, job.kind) });
    return undefined;
  }
  await savePlan(tx, plan);
  if (plan.state === 'held') return 'additions';
  if (job.dryRun) {
    const { note } = plan;
    await enqueue(tx, { type: 'sync.sweep.ended', tenantId: tx.tenantId, data: { job_id: jobId, deleted: 0, note } });
  }
  return job.dryRun ? undefined : 'all';
}

/** Ends the sweep of a plan that is done. `limit`: of people, if the tenant has one. */
async function endSweep(
  tx: Transaction,
  { job, plan, limit }: { job: JobState; plan: SyncPlan; limit: number | undefined },
): Promise<void> {
  await savePlan(tx, { ...plan, state: 'done' });
  const deleted = await countDoneDeletions(tx, job.id);
  // After a release, the reason for the quarantine is obsolete, but an incomplete run is still incomplete.
  const note = job.released ? await findIncompleteness(tx, job) : plan.note;
  const { count, externalIds } = await findRepeatedRecords(tx, job.id, maxReported);
  await reportOvertaken(tx, job.id, await findStaleRecords(tx, job.id, maxReadAgain));
  const beyond = limit === undefined ? undefined : await findUnappliedCreations(tx, job, maxReported);
  const errors = [
    ...externalIds.map(repeatedRecord),
    ...(beyond?.externalIds.map((id) => beyondQuota(id, limit ?? 0)) ?? []),
  ];
  const failed = count + (beyond?.count ?? 0);
  await enqueue(tx, {
    type: 'sync.sweep.ended',
    tenantId: tx.tenantId,
    data: { job_id: job.id, deleted, note, ...(failed > 0 && { repeated: failed, errors }) },
  });
}

/** Adds the records that the source no longer lists, and checks the whole plan against the safeguard. */
async function completePlan(
  tx: Transaction,
  { job, plan, now }: { job: JobState; plan: SyncPlan; now: Date },
): Promise<SyncPlan> {
  const deferred = await deferToHeldJob(tx, job, plan, () => findIncompleteness(tx, job));
  if (deferred) return deferred;
  const incomplete = await planMissing(tx, job);
  // A client named this one record, so the safeguard does not apply.
  if (job.mode === 'record') return { ...plan, state: 'ready' };
  const people = await findGuardOfPeople(tx, job);
  if (people) {
    const rules = (await findMatchingRules(tx)) ?? defaultMatchingRules;
    const policy = await findLifecyclePolicy(tx);
    await moveAnchors(tx, job, { guard: people, rules, policy, now });
  }
  const { create, update, delete: deletions, disable: disables } = await countEntries(tx, job.id);
  const additions = people && (await additionsOf(tx, job));
  const marks = create + update + disables > 0 ? await countMarks(tx, job.id) : noMarks;
  // Counting reads all records of the connector.
  const isEmpty =
    deletions + disables + marks.enabled + marks.gaining + marks.reused + (additions ? create + update : 0) === 0;
  const known = isEmpty ? plan.known : (plan.known ?? (await countKnownBefore(tx, job.connectorId, job.id)));
  const taking = job.retires ? await countLastActive(tx, job) : 0;
  const counts = { known: known ?? 0, deletions, disables, ...marks, additions, taking };
  const guard = people ?? (await findSafeguard(tx, job.connectorId));
  const recent = await countRecentRemovals(tx, job, guard.within_hours);
  const counting = job.kind === 'user' && deletions + disables > 0;
  const day = counting ? await lossesBefore(tx, job, guard, await countActivePeople(tx)) : undefined;
  const losses = day?.before ? { ...day, count: await countTaking(tx, job.id) } : undefined;
  const reasons = quarantineReasons(guard, counts, job, { ...recent, losses });
  const notes = [incomplete, quarantineNote(reasons)].filter((note) => note !== undefined);
  const note = notes.length > 0 ? notes.join('; ') : undefined;
  // A dry run changes nothing, so it is never quarantined.
  const state = reasons.length === 0 || job.dryRun ? 'ready' : 'held';
  return { ...plan, known, deletions, disables, state, note, reasons };
}

/**
 * Plans the deletion of records that a complete full run did not list; in other runs, the batches have planned what the
 * source reported as deleted. Returns the reason if the run is incomplete.
 */
async function planMissing(tx: Transaction, job: JobState): Promise<string | undefined> {
  if (reportsDeletions(job)) return undefined;
  // Left from an incremental run that became a full run because the source had lost its change log.
  await dropRemovals(tx, job.id);
  const incomplete = await findIncompleteness(tx, job);
  if (incomplete !== undefined) return incomplete;
  await planDeletions(tx, job);
  // Records that a single-record job added during the run may be missing in its list.
  const overtaken = await dropEntries(tx, job.id, await findOvertaken(tx, job.id));
  await reportOvertaken(tx, job.id, overtaken);
  return undefined;
}

/** Returns why a run cannot know which records are missing. */
async function findIncompleteness(tx: Transaction, job: JobState): Promise<string | undefined> {
  return reportsDeletions(job) ? undefined : whyIncomplete(job, await findRunCoverage(tx, job.id));
}

/** Applies the next chunk of the plan; returns false when the sweep has ended. */
async function applyChunk(
  tx: Transaction,
  jobId: string,
  { scope, fixedTime, size }: { scope: Scope; fixedTime: Date | undefined; size: number },
): Promise<boolean> {
  await preventCancellation(tx, jobId);
  const job = await findJobState(tx, jobId);
  // The job was cancelled in the meantime.
  if (job?.status !== 'running') return false;
  const limit = await peopleLimit(tx, job.kind);
  const isAlone = job.kind === 'machine_identity' || limit !== undefined;
  const tenant = await loadTenant(tx, isAlone);
  const plan = await lockPlan(tx, job);
  const isHeld = scope === 'additions';
  const waits = isHeld && plan.reasons.some(boundsAdditions);
  const entries = waits ? [] : await findOpenEntries(tx, jobId, size, isHeld ? { actions: ['create', 'update'] } : {});
  if (entries.length === 0 && isHeld) {
    await enqueue(tx, {
      type: 'sync.sweep.held',
      tenantId: tx.tenantId,
      data: { job_id: jobId, note: plan.note ?? 'quarantined' },
    });
    return false;
  }
  if (entries.length === 0) {
    await endSweep(tx, { job, plan, limit });
    return false;
  }
  await markEntriesDone(tx, jobId, idsOf(entries));
  const cause = { ...tenant, jobId, ...causedAt(fixedTime) };
  const { changes, overtaken, groups } = await plannedChanges(tx, job, entries, cause);
  await reportOvertaken(tx, jobId, await dropEntries(tx, jobId, overtaken));
  const { admitted } = await withinQuota(tx, limit, changes);
  await addLosses(tx, jobId, [...lossesOf(await applyChanges(tx, { ...cause, groups }, admitted)).keys()]);
  return true;
}

/** Deletes the seen records of ended jobs of a connector. Plans stay as long as their jobs. */
export async function clearEndedRuns(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.ended'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const job = await findJobState(tx, data.job_id);
    if (job) await purgeEndedRuns(tx, job.connectorId);
  });
}
