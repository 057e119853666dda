import type { LifecyclePolicy, SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findOvertaken, type JobState, lockRecordsById, type PlanEntry } from '@idsync/database/directory';
import { findChanges } from '../read-batch.js';
import type { RecordChange } from '../record-change.js';
import { deletionsOf } from './deletions.js';

export interface PlannedChanges {
  changes: RecordChange[];
  /** External ids that a single-record job has read in the meantime; their plan entries are ignored. */
  overtaken: string[];
}

/**
 * Computes the changes of plan entries from the current state: applies the planned values again and deletes missing
 * records.
 */
export async function plannedChanges(
  tx: Transaction,
  job: JobState,
  entries: readonly PlanEntry[],
  policy: LifecyclePolicy,
  now: Date,
): Promise<PlannedChanges> {
  // If the source listed a record twice, the later entry counts.
  const latest = [...new Map(entries.map((entry) => [entry.externalId, entry])).values()];
  const missing = latest.filter(({ incoming }) => incoming === undefined).map(({ recordId }) => recordId);
  const locked = await lockRecordsById(tx, missing);
  const overtaken = new Set(
    await findOvertaken(
      tx,
      job.id,
      locked.map(({ externalId }) => externalId),
    ),
  );
  const changes = deletionsOf(locked, overtaken, job, now);
  for (const [seq, records] of incomingBySeq(latest)) {
    const source = { jobId: job.id, seq, connectorId: job.connectorId, kind: job.kind, policy, now };
    const found = await findChanges(tx, source, records);
    changes.push(...found.changes);
    for (const externalId of found.overtaken) overtaken.add(externalId);
  }
  return { changes, overtaken: [...overtaken] };
}

function incomingBySeq(entries: readonly PlanEntry[]): Map<number, SourceRecord[]> {
  const bySeq = new Map<number, SourceRecord[]>();
  for (const { seq, incoming } of entries) {
    // Stored by the directory from a validated batch.
    if (incoming !== undefined) bySeq.set(seq, [...(bySeq.get(seq) ?? []), JSON.parse(incoming) as SourceRecord]);
  }
  return bySeq;
}
