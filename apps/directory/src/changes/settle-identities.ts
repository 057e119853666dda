import { formatCount, recordWeight, volumeLimits } from '@idsync/contracts';
import type { EarlierState, StoredIdentity, StoredRecord } from '@idsync/database/directory';
import { NotApplicable } from '../batch/divide-batch.js';
import { deriveIdentityStatus } from '../lifecycle/derive-status.js';
import { stampLifecycle } from '../lifecycle/stamp-records.js';
import type { PlacedRecords } from '../matching/place-records.js';
import { mergeAttributes, winners } from '../render/merge-attributes.js';
import { displayNameOf, renderIdentity } from '../render/render-identity.js';
import { renderRecord } from '../render/render-record.js';
import type { TimedCause } from './cause.js';
import type { IdentityChange, RecordChange, Settled } from './record-change.js';

/** Computes every affected identity from its current records. */
export function settleIdentities(cause: TimedCause, placed: PlacedRecords): Settled {
  const { at } = cause;
  const members = new Map<string, RecordChange[]>([...placed.affected].map((id) => [id, []]));
  for (const change of placed.changes.values()) {
    if (change.record.identityId) members.get(change.record.identityId)?.push(change);
    else if (!change.removed) finish(change, cause);
  }
  const identities: IdentityChange[] = [];
  const merged: Settled['merged'] = [];
  const ended: StoredIdentity[] = [];
  const erased: Settled['erased'] = [];
  for (const [id, group] of members) {
    const before = placed.stored.get(id);
    const intoId = placed.successors.get(id);
    if (group.length === 0 && before) {
      if (intoId !== undefined) merged.push({ identity: before, intoId });
      else if (cause.erase) erased.push({ before, identity: tombstoneOf(before, at) });
      else ended.push(before);
      continue;
    }
    requireWithinWeight(id, group);
    for (const change of group) finish(change, cause);
    const identity = nextIdentity(id, before, group, cause);
    const splitFrom = placed.origins.get(id);
    if (identity.document !== before?.document) identities.push({ identity, before, ...(splitFrom && { splitFrom }) });
  }
  const records = [...placed.changes.values()].filter(({ record, before }) => record !== before);
  return { records, identities, merged, ended, erased };
}

/**
 * Rejects an identity that exceeds the weight limit, because a change of one record loads all of them into memory. An
 * identity that already exceeds the limit may change but not grow.
 */
function requireWithinWeight(id: string, group: readonly RecordChange[]): void {
  const weight = group.reduce((sum, { record }) => sum + recordWeight(record.fields), 0);
  if (weight <= volumeLimits.identityWeight) return;
  const before = group.reduce(
    (sum, change) => sum + (change.before?.identityId === id ? recordWeight(change.before.fields) : 0),
    0,
  );
  if (weight <= before) return;
  throw new NotApplicable(
    `the ${formatCount(group.length)} records of its identity would take ${formatCount(weight)} bytes, at most ${formatCount(volumeLimits.identityWeight)} are allowed`,
  );
}

/**
 * Stores the state before the job for an undo. A second change by the same job does not replace it, and one that
 * returns to it takes the job's change back: the job before is again the one that changed the record last.
 */
function keepPrevious({ record, before }: RecordChange): void {
  if (!before) return;
  if (record.lastJobId === before.lastJobId) {
    revertToPrevious(record);
    return;
  }
  const isMoved = record.externalId !== before.externalId;
  if (record.contentHash === before.contentHash && !isMoved) return;
  const { fields, status, changedAt, contentHash, externalId, lastJobId, lastSeq } = before;
  record.previous = {
    fields,
    status,
    changedAt,
    contentHash: contentHash.toString('base64'),
    ...(isMoved && { externalId }),
    lastJobId,
    lastSeq,
    ...(before.previous && { previous: withoutEarlier(before.previous) }),
  };
}

function withoutEarlier({ previous: _, ...state }: NonNullable<StoredRecord['previous']>): EarlierState {
  return state;
}

/** A source may list a record twice, and the last entry counts: it may have the values from before the run. */
function revertToPrevious(record: StoredRecord): void {
  const { previous } = record;
  if (previous === undefined || previous.externalId !== undefined) return;
  if (previous.status !== record.status || previous.contentHash !== record.contentHash.toString('base64')) return;
  record.lastJobId = previous.lastJobId;
  record.lastSeq = previous.lastSeq;
  record.previous = previous.previous;
}

function tombstoneOf({ id, createdAt }: StoredIdentity, at: Date): StoredIdentity {
  const bare = { id, status: 'deleted', createdAt, updatedAt: at } as const;
  return { ...bare, document: renderIdentity(bare, [], []) };
}

function nextIdentity(
  id: string,
  before: StoredIdentity | undefined,
  group: readonly RecordChange[],
  cause: TimedCause,
): StoredIdentity {
  const { at, revived } = cause;
  const earlier = before ?? revived?.get(id);
  const records = group.map(({ record }) => record);
  const attributes = mergeAttributes(id, records, cause);
  const draft = {
    id,
    displayName: displayNameOf(winners(attributes), records) ?? before?.displayName,
    status: deriveIdentityStatus(records, cause, earlier),
    createdAt: earlier?.createdAt ?? at,
    updatedAt: before?.updatedAt ?? at,
  };
  const asBefore = renderIdentity(draft, attributes, records);
  if (before === undefined || asBefore === before.document) return { ...draft, document: asBefore };
  const changed = { ...draft, updatedAt: at };
  return { ...changed, document: renderIdentity(changed, attributes, records) };
}

/** Renders a changed record; an unchanged one keeps its document. */
function finish(change: RecordChange, { tenantId, policy, now, at }: TimedCause): void {
  if (change.record === change.before) return;
  stampLifecycle(change, policy, { now, at });
  keepPrevious(change);
  change.record.document = renderRecord(change.record, tenantId);
}
