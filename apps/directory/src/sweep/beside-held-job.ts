import { encodeId, type SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  countKnownBefore,
  countMarks,
  dropAllEntries,
  dropContradicted,
  dropDestructive,
  dropHeldPlans,
  dropUnlisted,
  dropUnmoved,
  findGuardOfPeople,
  findHeldJob,
  findSafeguard,
  hasAdditions,
  hasMissing,
  isObsolete,
  type JobState,
  type SyncPlan,
} from '@idsync/database/directory';
import type { RecordChange } from '../changes/record-change.js';
import type { KeyRules } from '../matching/record-keys.js';
import { additionReasons, destructiveActionOf } from './guard.js';
import { additionsOf, reportsDeletions } from './run-counts.js';
import { isWaiting, type Waiting } from './set-aside.js';

/**
 * Removes the records of a batch from the plan of the connector's held job, because the batch shows their newer state:
 * all entries of a record that the batch neither disables nor deletes, and the deletion of one that it only disables. A
 * creation or change stays if the batch would make it too.
 */
export async function contradictHeldPlan(
  tx: Transaction,
  job: { id: string; connectorId: string },
  listed: readonly SourceRecord[],
  changes: readonly RecordChange[],
  waiting: Waiting,
  rules: KeyRules,
): Promise<void> {
  const held = await findHeldJob(tx, job.connectorId, job.id);
  if (held === undefined) return;
  const actions = new Map(
    changes.map((change) => {
      const { externalId } = change.record;
      return [externalId, destructiveActionOf(change) ?? (waiting.takers.has(externalId) ? 'disable' : undefined)];
    }),
  );
  const present = listed.filter(({ removed }) => !removed).map(({ external_id }) => external_id);
  await dropContradicted(tx, held, {
    kept: present.filter((id) => actions.get(id) === undefined),
    listed: present.filter((id) => actions.get(id) !== 'delete'),
    waiting: changes.filter((change) => isWaiting(change, waiting, rules)).map(({ record }) => record.externalId),
  });
}

/**
 * Leaves the deletions and disables of a run to a later one if another job of the connector is held: the operator
 * decides about the earlier ones first. New people and changes wait too if the held job has any, or if there are more
 * than the safeguard allows. The note keeps the checkpoint, so that an incremental run reports them again. Returns
 * undefined if no job is held, or if this run has left nothing to decide.
 */
export async function deferToHeldJob(
  tx: Transaction,
  job: JobState,
  plan: SyncPlan,
  incomplete: () => Promise<string | undefined>,
): Promise<SyncPlan | undefined> {
  if (job.dryRun || job.mode === 'record') return undefined;
  const held = await findHeldJob(tx, job.connectorId, job.id);
  if (held === undefined) return undefined;
  if (job.retires) {
    await dropHeldPlans(tx, job.connectorId, job.id);
    return undefined;
  }
  const unread = await incomplete();
  await dropUnmoved(tx, held, job.id);
  if (unread === undefined) {
    if (!reportsDeletions(job)) await dropUnlisted(tx, held, job.id);
    if (await isObsolete(tx, held)) {
      await cancelHeldJob(tx, held, job.id);
      return undefined;
    }
  }
  const removals = (await dropDestructive(tx, job.id)) > 0 || (!reportsDeletions(job) && (await hasMissing(tx, job)));
  const additions = await deferAdditions(tx, job, held);
  const kinds = [removals && 'deletions and disables', additions && 'new people and changes'].filter(Boolean);
  const waiting = kinds.length > 0 && `${kinds.join(', ')} wait for the decision about ${encodeId('job', held)}`;
  const notes = [unread, waiting].filter((note) => typeof note === 'string');
  const note = notes.length > 0 ? notes.join('; ') : undefined;
  return { ...plan, deletions: 0, disables: 0, state: 'ready', note, reasons: [] };
}

/** Otherwise the deletions of this run would wait for a decision about nothing. */
async function cancelHeldJob(tx: Transaction, held: string, jobId: string): Promise<void> {
  const reason = `nothing of its plan is left after the run ${encodeId('job', jobId)}`;
  await enqueue(tx, {
    type: 'sync.job.cancel_requested',
    tenantId: tx.tenantId,
    data: { job_id: held, reason, by: 'idsync' },
  });
}

/** Returns true if creations and changes of the run were dropped. */
async function deferAdditions(tx: Transaction, job: JobState, held: string): Promise<boolean> {
  if (!(await hasAdditions(tx, job.id))) return false;
  if (!(await hasAdditions(tx, held))) {
    const people = await findGuardOfPeople(tx, job);
    const known = await countKnownBefore(tx, job.connectorId, job.id);
    const additions = people && (await additionsOf(tx, job));
    const marks = await countMarks(tx, job.id);
    const guard = people ?? (await findSafeguard(tx, job.connectorId));
    if (additionReasons(guard, { known, additions, ...marks }, job.recordsRead).length === 0) return false;
  }
  await dropAllEntries(tx, job.id);
  return true;
}
