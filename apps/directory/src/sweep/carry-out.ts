import { goneStatus, type SourceRecord } from '@idsync/contracts';
import {
  findOvertaken,
  type JobState,
  lockRecordsById,
  type PlanEntry,
  type StoredRecord,
  type Transaction,
} from '@idsync/database';
import { isLiving } from '../matching/record-keys.js';
import { findChanges } from '../read-batch.js';
import type { RecordChange } from '../record-change.js';

export interface CarriedOut {
  changes: RecordChange[];
  /** Records that a job of their own has read meanwhile: what is planned of them counts no more. */
  overtaken: string[];
}

/** What entries of a plan come to as things stand: what was said is read again, who is missing is taken away. */
export async function changesOf(
  tx: Transaction,
  job: JobState,
  entries: readonly PlanEntry[],
  now: Date,
): Promise<CarriedOut> {
  // A source that named somebody twice has said the later thing.
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
  const deletions = locked
    .filter((before) => isLiving(before) && !overtaken.has(before.externalId))
    .map((before) => ({ before, record: tombstoneOf(before, job, now) }));
  const changes: RecordChange[] = deletions;
  for (const [seq, records] of saidBySeq(latest)) {
    const source = { jobId: job.id, seq, connectorId: job.connectorId, kind: job.kind, now };
    const found = await findChanges(tx, source, records);
    changes.push(...found.changes);
    for (const externalId of found.overtaken) overtaken.add(externalId);
  }
  return { changes, overtaken: [...overtaken] };
}

/** Keeps what is known of the record until it is purged. Without a hash, it is applied again once it is listed again. */
function tombstoneOf(before: StoredRecord, { id, batchesTotal }: JobState, now: Date): StoredRecord {
  return {
    ...before,
    status: goneStatus[before.kind],
    contentHash: Buffer.alloc(0),
    lastJobId: id,
    lastSeq: batchesTotal ?? 0,
    updatedAt: now,
  };
}

function saidBySeq(entries: readonly PlanEntry[]): Map<number, SourceRecord[]> {
  const said = new Map<number, SourceRecord[]>();
  for (const { seq, incoming } of entries) {
    // Written by ourselves, from a batch that was validated.
    if (incoming !== undefined) said.set(seq, [...(said.get(seq) ?? []), JSON.parse(incoming) as SourceRecord]);
  }
  return said;
}
