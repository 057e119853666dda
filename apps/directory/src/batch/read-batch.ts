import {
  type LifecyclePolicy,
  newUuid,
  outranks,
  type PersonStatus,
  type RecordKind,
  type SourceRecord,
} from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  compareAnchors,
  findListedLater,
  findOvertaken,
  groupIdsField,
  lockRecordsByAnchor,
  type StoredRecord,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { employmentOf, employmentRules, nextStatus } from '../lifecycle/lifecycle.js';
import { allKeys, isDeleted, isTombstone, type KeyRules } from '../matching/record-keys.js';
import { distinct, idsOf, sameValues } from '../shared/collections.js';
import { contentHash } from './content-hash.js';
import type { LeftOut } from './divide-batch.js';
import { type ResolvedMemberships, resolveMemberships } from './resolve-memberships.js';

export interface BatchSource {
  jobId: string;
  seq: number;
  connectorId: string;
  kind: RecordKind;
  policy: LifecyclePolicy;
  rules: KeyRules;
  now: Date;
}

export interface ChangedRecords {
  changes: RecordChange[];
  unchanged: number;
  /** Ids of all records of the batch, changed or not: known ones as PostgreSQL array text, and new ones. */
  knownIds: string;
  createdIds: string[];
  /** External ids of changes that may not count, because another row of the id may: only the sweep can decide. */
  contested: ReadonlySet<string>;
  /** External ids that a single-record job has read in the meantime; their entries in this batch are ignored. */
  overtaken: string[];
  /** New users without a name and a key, or who would be active only because a date of their employment cannot be used. */
  unusable: LeftOut[];
  /** Groups that the changes list by their keys and that are not stored yet, or with another name. */
  groups: Cause['groups'];
}

/** Job error for a record that the source listed more than once. */
export function repeatedRecord(externalId: string): { external_id: string; message: string } {
  return { external_id: externalId, message: 'listed more than once by the source' };
}

/**
 * Returns the changed records of a batch, which lists each id once. An unchanged record costs one index lookup and no write. `moved` has the
 * stored records that get a new external id, by that id. `ranksRows`: the rows of one id in a full run are employments;
 * in other runs they are changes, of which the last one counts. `isPlanned`: of the rows of one id, the plan has only the
 * one that counts. `memberships`: of all records of the change, if these are only some of them.
 */
export async function findChanges(
  tx: Transaction,
  {
    ranksRows,
    isPlanned = false,
    memberships,
    ...source
  }: BatchSource & { ranksRows: boolean; isPlanned?: boolean; memberships?: ResolvedMemberships },
  records: readonly SourceRecord[],
  moved: ReadonlyMap<string, StoredRecord> = new Map(),
): Promise<ChangedRecords> {
  const contents = records.map((record) => ({
    externalId: record.external_id,
    record,
    hash: contentHash(record),
  }));
  const { changed, knownIds } = await compareAnchors(tx, source.connectorId, contents);
  const candidates = contents.filter(({ externalId }) => changed.has(externalId));

  const groups =
    memberships ??
    (await resolveMemberships(
      tx,
      source,
      candidates.map(({ record }) => record),
    ));
  const existing = new Map<string, StoredRecord>(moved);
  const existingIds = candidates
    .map(({ externalId }) => externalId)
    .filter((externalId) => changed.get(externalId)?.isKnown);
  if (existingIds.length > 0) {
    const rows = await lockRecordsByAnchor(tx, source.connectorId, existingIds);
    for (const row of rows) existing.set(row.externalId, row);
  }

  const listedLater = await findListedLater(tx, source, isPlanned ? [] : idsOf([...existing.values()]));
  const added = source.kind === 'user' ? candidates.filter(({ externalId }) => !existing.has(externalId)) : [];
  const unusable = added.flatMap(({ record }) => unusableUser(record, source.rules));
  const leftOut = new Set(unusable.map(({ external_id }) => external_id));
  const overtaken = candidates.length > 0 ? await findOvertaken(tx, source.jobId, [...changed.keys()]) : [];
  const contested = new Set<string>();
  const changes = candidates.flatMap(({ record, hash }) => {
    if (overtaken.includes(record.external_id) || leftOut.has(record.external_id)) return [];
    const before = existing.get(record.external_id);
    // A later batch of the same run has already been applied to the record, or has confirmed its values.
    const isLate =
      before && ((before.lastJobId === source.jobId && before.lastSeq > source.seq) || listedLater.has(before.id));
    if (isLate && !ranksRows) return [];
    // An earlier batch may have listed the values before as well.
    if (isLate || (before && ranksRows && outranks(before.fields, record.fields, source.now)))
      contested.add(record.external_id);
    const next = nextRecord(groups.withIds(record), hash, source, before);
    // A deleted record that was never stored needs no tombstone.
    return before || !isDeleted(next) ? [{ record: next, before }] : [];
  });
  const createdIds = changes
    .filter(({ before, record }) => before?.externalId !== record.externalId)
    .map(({ record }) => record.id);
  const unchanged = records.length - changes.length - unusable.length;
  return { changes, unchanged, knownIds, createdIds, contested, overtaken, unusable, groups: groups.pending };
}

const employmentDates = ['hire_date', 'termination_date'];

/** A new user has no stored date that could take the place of one that cannot be used. */
function unusableUser({ external_id, fields, kept = [], line }: SourceRecord, rules: KeyRules): LeftOut[] {
  const field = employmentDates.find((date) => kept.includes(date));
  if (field) return [{ external_id, message: `${field} cannot be used; without it, a new user would be active` }];
  if (line === undefined || fields.status?.[0] === 'deleted' || allKeys(fields, rules).length > 0) return [];
  const message = 'has neither a name nor a match key, and a new user needs one: is it the last line of a report?';
  return [{ external_id, line, message }];
}

/** Returns the record as its source lists it now. */
export function nextRecord(
  incoming: SourceRecord,
  hash: Buffer,
  source: BatchSource,
  before: StoredRecord | undefined,
): StoredRecord {
  const fields = nextFields(incoming, before?.fields);
  // A machine's status also depends on its owner and is computed with the identity.
  const status = source.kind === 'user' ? userStatus(fields, before, source) : (fields.status?.[0] ?? 'active');
  // A field whose value cannot be used keeps the stored one, so that only the hash is new.
  const isKnown = before && before.contentHash.length > 0 && before.externalId === incoming.external_id;
  if (isKnown && before.kind === source.kind && before.status === status) {
    if (sameFields(before.fields, fields)) return { ...before, fields, contentHash: hash };
  }
  return {
    id: before?.id ?? newUuid(),
    kind: source.kind,
    connectorId: source.connectorId,
    externalId: incoming.external_id,
    identityId: before?.identityId,
    status,
    contentHash: hash,
    fields,
    changedAt: before ? changeTimes(before, fields, source.now) : {},
    createdAt: before?.createdAt ?? source.now,
    updatedAt: source.now,
    document: '',
    lastJobId: source.jobId,
    lastSeq: source.seq,
    linkedBy: before?.linkedBy,
    keptIdentityId: before?.keptIdentityId,
    decided: before?.decided ?? false,
    statusSince: before?.statusSince ?? source.now,
    // Kept if the same job changes the record again, so that an undo restores the state before the job.
    previous: before?.previous,
    evidence: before?.evidence,
  };
}

/**
 * Returns the listed values, each once, and the stored values of fields whose listed values cannot be used. A field
 * whose values are the same as before keeps their order.
 */
function nextFields(
  { fields, kept = [] }: Pick<SourceRecord, 'fields' | 'kept'>,
  before: StoredRecord['fields'] = {},
): Record<string, string[]> {
  const listed = { ...fields };
  for (const field of kept) listed[field] = before[field] ?? [];
  // The ids of groups belong to their names.
  if (kept.includes('groups')) listed[groupIdsField] = before[groupIdsField] ?? [];
  return Object.fromEntries(
    Object.entries(listed).flatMap(([field, values]) => {
      if (values.length === 0) return [];
      const stored = before[field];
      return [[field, distinct(stored && sameValues(stored, values) ? stored : values)]];
    }),
  );
}

function sameFields(a: StoredRecord['fields'], b: StoredRecord['fields']): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((field) => sameValues(a[field], b[field]));
}

function userStatus(
  fields: StoredRecord['fields'],
  before: StoredRecord | undefined,
  { policy, connectorId, now }: BatchSource,
): PersonStatus {
  // A user that was deleted as unlisted and is listed again gets the source's status, with a new grace period.
  const state =
    before && !isTombstone(before) ? { status: before.status as PersonStatus, since: before.statusSince } : undefined;
  const rules = employmentRules(policy, connectorId);
  return nextStatus(state, employmentOf(fields, rules), rules, now);
}

function changeTimes(before: StoredRecord, fields: Record<string, string[]>, now: Date): Record<string, string> {
  const times: Record<string, string> = {};
  for (const [field, values] of Object.entries(fields)) {
    const time = sameValues(before.fields[field], values) ? before.changedAt[field] : now.toISOString();
    if (time !== undefined) times[field] = time;
  }
  return times;
}

/** Requests a new read of records whose entries in a job were ignored, because those entries may have been newer. */
export async function reportOvertaken(tx: Transaction, jobId: string, externalIds: string[]): Promise<void> {
  if (externalIds.length === 0) return;
  await enqueue(tx, {
    type: 'sync.record.overtaken',
    tenantId: tx.tenantId,
    data: { job_id: jobId, external_ids: externalIds },
  });
}
