import { newUuid, type PersonStatus, type RecordKind, type SourceRecord } from '@idsync/contracts';
import {
  compareAnchors,
  findOvertaken,
  lockRecordsByAnchor,
  type StoredRecord,
  type Transaction,
} from '@idsync/database';
import { contentHash } from './content-hash.js';
import { nextStatus } from './lifecycle.js';
import { isLiving, isTombstone } from './matching/record-keys.js';
import type { RecordChange } from './record-change.js';
import { factsOf } from './stamp-lifecycle.js';

export interface BatchSource {
  jobId: string;
  seq: number;
  connectorId: string;
  kind: RecordKind;
  now: Date;
}

export interface ChangedRecords {
  changes: RecordChange[];
  unchanged: number;
  /** Ids of the records that the batch named, changed or not: the known ones as PostgreSQL writes an array, and the new ones. */
  knownIds: string;
  madeIds: string[];
  /** External ids that stood in the batch more than once; the last one counts. */
  repeated: string[];
  /** External ids of those that a job of their own has read meanwhile; nothing is changed by what is said of them here. */
  overtaken: string[];
}

/** What is told of a record that the source names again: its last word counts. */
export function repeatedRecord(externalId: string): { external_id: string; message: string } {
  return { external_id: externalId, message: 'stands in the source more than once' };
}

/** Tells which records of a batch say something new. An unchanged record costs one index look-up and no write. */
export async function findChanges(
  tx: Transaction,
  source: BatchSource,
  records: readonly SourceRecord[],
): Promise<ChangedRecords> {
  const repeated: string[] = [];
  const latest = new Map<string, SourceRecord>();
  for (const record of records) {
    if (latest.has(record.external_id)) repeated.push(record.external_id);
    latest.set(record.external_id, record);
  }
  const contents = [...latest].map(([externalId, record]) => ({ externalId, record, hash: contentHash(record) }));
  const { changed, knownIds } = await compareAnchors(tx, source.connectorId, contents);
  const candidates = contents.filter(({ externalId }) => changed.has(externalId));

  const existing = new Map<string, StoredRecord>();
  const again = candidates.map(({ externalId }) => externalId).filter((externalId) => changed.get(externalId)?.isKnown);
  if (again.length > 0) {
    const rows = await lockRecordsByAnchor(tx, source.connectorId, again);
    for (const row of rows) existing.set(row.externalId, row);
  }

  const overtaken = candidates.length > 0 ? await findOvertaken(tx, source.jobId, [...changed.keys()]) : [];
  const changes = candidates.flatMap(({ record, hash }) => {
    if (overtaken.includes(record.external_id)) return [];
    const before = existing.get(record.external_id);
    // A later batch of the same run has already said more about it.
    if (before?.lastJobId === source.jobId && before.lastSeq > source.seq) return [];
    const next = nextRecord(record, hash, source, before);
    // What a source tells of as deleted, and nobody knew, is nobody's news.
    return before || isLiving(next) ? [{ record: next, before }] : [];
  });
  const madeIds = changes.filter(({ before }) => !before).map(({ record }) => record.id);
  return { changes, unchanged: latest.size - changes.length, knownIds, madeIds, repeated, overtaken };
}

function nextRecord(
  incoming: SourceRecord,
  hash: Buffer,
  source: BatchSource,
  before: StoredRecord | undefined,
): StoredRecord {
  const fields = Object.fromEntries(Object.entries(incoming.fields).filter(([, values]) => values.length > 0));
  return {
    id: before?.id ?? newUuid(),
    kind: source.kind,
    connectorId: source.connectorId,
    externalId: incoming.external_id,
    identityId: before?.identityId,
    // A machine's status also depends on its owner: it is settled with the identity.
    status: source.kind === 'user' ? userStatus(fields, before, source.now) : (fields.status?.[0] ?? 'active'),
    contentHash: hash,
    fields,
    changedAt: before ? changeTimes(before, fields, source.now) : {},
    createdAt: before?.createdAt ?? source.now,
    updatedAt: source.now,
    document: '',
    lastJobId: source.jobId,
    lastSeq: source.seq,
    linkedBy: before?.linkedBy,
    decided: before?.decided ?? false,
    statusSince: before?.statusSince ?? source.now,
    // A second word of the same job: what it was before that job stays.
    previous: before?.previous,
  };
}

function userStatus(fields: StoredRecord['fields'], before: StoredRecord | undefined, now: Date): PersonStatus {
  // Who was deleted for not being listed is, once listed again, what they are said to be: their time begins anew.
  const state =
    before && !isTombstone(before) ? { status: before.status as PersonStatus, since: before.statusSince } : undefined;
  return nextStatus(state, factsOf(fields), now);
}

function changeTimes(before: StoredRecord, fields: Record<string, string[]>, now: Date): Record<string, string> {
  const times: Record<string, string> = {};
  for (const [field, values] of Object.entries(fields)) {
    const same = JSON.stringify(before.fields[field]) === JSON.stringify(values);
    const time = same ? before.changedAt[field] : now.toISOString();
    if (time !== undefined) times[field] = time;
  }
  return times;
}
