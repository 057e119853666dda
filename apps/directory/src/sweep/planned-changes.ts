import type { LifecyclePolicy, SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  findOvertaken,
  type JobState,
  lockRecordsByAnchor,
  lockRecordsById,
  type PlanEntry,
  type StoredRecord,
} from '@idsync/database/directory';
import { findChanges } from '../batch/read-batch.js';
import { resolveMemberships } from '../batch/resolve-memberships.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { isDeleted, type KeyRules, tombstoneOf } from '../matching/record-keys.js';
import { append, byId } from '../shared/collections.js';
import { separateReused } from './reused-ids.js';
import { reportsDeletions } from './run-counts.js';

export interface PlannedChanges {
  changes: RecordChange[];
  /** External ids that a single-record job has read in the meantime; their plan entries are ignored. */
  overtaken: string[];
  groups: Cause['groups'];
}

/**
 * Computes the changes of plan entries from the current state: applies the planned values again and deletes missing
 * records.
 */
export async function plannedChanges(
  tx: Transaction,
  job: JobState,
  entries: readonly PlanEntry[],
  { policy, rules, now }: { policy: LifecyclePolicy; rules: KeyRules; now: Date },
): Promise<PlannedChanges> {
  // If the source listed a record twice, the later entry counts.
  const latest = [...new Map(entries.map((entry) => [entry.externalId, entry])).values()];
  const missing = latest.filter(({ incoming }) => incoming === undefined).map(({ recordId }) => recordId);
  const locked = await lockRecordsById(tx, missing);
  const lockedIds = locked.map(({ externalId }) => externalId);
  const overtaken = new Set(await findOvertaken(tx, job.id, lockedIds));
  const changes = deletionsOf(locked, overtaken, job, now);
  const moved = await findMoved(tx, job.connectorId, latest);
  const ranksRows = !reportsDeletions(job);
  const bySeq = incomingBySeq(latest);
  const run = { jobId: job.id, connectorId: job.connectorId, kind: job.kind, policy, rules, now };
  const memberships = await resolveMemberships(tx, run, [...bySeq.values()].flat());
  for (const [seq, records] of bySeq) {
    const found = await findChanges(tx, { ...run, seq, ranksRows, isPlanned: true, memberships }, records, moved);
    changes.push(...separateReused(found.changes, rules, now));
    for (const externalId of found.overtaken) overtaken.add(externalId);
  }
  return { changes, overtaken: [...overtaken], groups: memberships.pending };
}

/**
 * Returns the records that get a new external id, by that id. Entries whose record has got another one in the meantime,
 * or whose new id is in use, are applied without a move.
 */
async function findMoved(
  tx: Transaction,
  connectorId: string,
  entries: readonly PlanEntry[],
): Promise<Map<string, StoredRecord>> {
  const moving = entries.filter(({ movedFrom }) => movedFrom !== undefined);
  if (moving.length === 0) return new Map();
  const [newIds, recordIds] = [moving.map(({ externalId }) => externalId), moving.map(({ recordId }) => recordId)];
  const inUse = new Set((await lockRecordsByAnchor(tx, connectorId, newIds)).map(({ externalId }) => externalId));
  const records = byId(await lockRecordsById(tx, recordIds));
  return new Map(
    moving.flatMap(({ recordId, externalId, movedFrom }) => {
      const record = records.get(recordId);
      return record && record.externalId === movedFrom && !inUse.has(externalId) ? [[externalId, record]] : [];
    }),
  );
}

function incomingBySeq(entries: readonly PlanEntry[]): Map<number, SourceRecord[]> {
  const bySeq = new Map<number, SourceRecord[]>();
  for (const { seq, incoming } of entries) {
    // Stored by the directory from a validated batch.
    if (incoming !== undefined) append(bySeq, seq, JSON.parse(incoming) as SourceRecord);
  }
  return bySeq;
}

/** Returns the deletions of missing records, without those that are deleted already or overtaken (by external id). */
export function deletionsOf(
  missing: readonly StoredRecord[],
  overtaken: ReadonlySet<string>,
  { id, batchesTotal }: Pick<JobState, 'id' | 'batchesTotal'>,
  now: Date,
): RecordChange[] {
  const change = { lastJobId: id, lastSeq: batchesTotal ?? 0, updatedAt: now };
  return missing
    .filter((before) => !isDeleted(before) && !overtaken.has(before.externalId))
    .map((before) => ({ before, record: { ...tombstoneOf(before), ...change } }));
}
