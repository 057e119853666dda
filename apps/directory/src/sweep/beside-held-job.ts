import { encodeId, type SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  dropAllEntries,
  dropContradicted,
  findHeldJob,
  hasMissing,
  type JobState,
  type SyncPlan,
} from '@idsync/database/directory';
import type { RecordChange } from '../record-change.js';
import { destructiveActionOf } from './guard.js';
import { reportsDeletions } from './why-incomplete.js';

/**
 * Removes the records of a batch from the plan of the connector's held job, because the batch shows their newer state:
 * all entries of a record that the batch neither disables nor deletes, and the deletion of one that it only disables.
 */
export async function contradictHeldPlan(
  tx: Transaction,
  job: { id: string; connectorId: string },
  listed: readonly SourceRecord[],
  changes: readonly RecordChange[],
): Promise<void> {
  const held = await findHeldJob(tx, job.connectorId, job.id);
  if (held === undefined) return;
  const actions = new Map(changes.map((change) => [change.record.externalId, destructiveActionOf(change)]));
  const present = listed.filter(({ removed }) => !removed).map(({ external_id }) => external_id);
  await dropContradicted(tx, held, {
    kept: present.filter((id) => actions.get(id) === undefined),
    listed: present.filter((id) => actions.get(id) !== 'delete'),
  });
}

/**
 * Leaves the deletions and disables of a run to a later one if another job of the connector is held: the operator
 * decides about the earlier ones first. The note keeps the checkpoint, so that an incremental run reports them again.
 * Returns undefined if no job is held.
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
  const dropped = await dropAllEntries(tx, job.id);
  const isDeferred = dropped > 0 || (!reportsDeletions(job) && (await hasMissing(tx, job)));
  const waiting = `deletions and disables wait for the decision about ${encodeId('job', held)}`;
  const notes = [await incomplete(), isDeferred ? waiting : undefined].filter((note) => note !== undefined);
  const note = notes.length > 0 ? notes.join('; ') : undefined;
  return { ...plan, deletions: 0, disables: 0, state: 'ready', note };
}
