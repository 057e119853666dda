import type { StoredIdentity } from '@idsync/database';
import type { Cause } from './cause.js';
import { deriveIdentityStatus } from './derive-status.js';
import type { PlacedRecords } from './matching/place-records.js';
import { mergeAttributes, winners } from './merge-attributes.js';
import type { RecordChange } from './record-change.js';
import { displayNameOf, renderIdentity } from './render-identity.js';
import { renderRecord } from './render-record.js';
import { stampLifecycle } from './stamp-lifecycle.js';

export interface IdentityChange {
  identity: StoredIdentity;
  before?: StoredIdentity;
  /** The identity its records parted from, if it was made that way. */
  partedFrom?: string;
}

/** An identity that is there no more, and the one that has its records. */
interface MergedIdentity {
  identity: StoredIdentity;
  intoId: string;
}

export interface Settled {
  records: RecordChange[];
  identities: IdentityChange[];
  merged: MergedIdentity[];
  /** Identities that have no records left, and are gone. */
  ended: StoredIdentity[];
  /** Tombstones of people who were erased, and what they were. */
  erased: Required<Pick<IdentityChange, 'identity' | 'before'>>[];
}

/** Brings every affected identity, and what depends on it, to what its records now say. */
export function settleIdentities(cause: Cause, placed: PlacedRecords): Settled {
  const { tenantId, now } = cause;
  const members = new Map<string, RecordChange[]>([...placed.affected].map((id) => [id, []]));
  for (const change of placed.changes.values()) {
    if (change.record.identityId) members.get(change.record.identityId)?.push(change);
    else if (!change.removed) finish(change, tenantId, now);
  }
  const identities: IdentityChange[] = [];
  const merged: MergedIdentity[] = [];
  const ended: StoredIdentity[] = [];
  const erased: Settled['erased'] = [];
  for (const [id, group] of members) {
    const before = placed.stored.get(id);
    const intoId = placed.successors.get(id);
    if (group.length === 0 && before && intoId !== undefined) {
      merged.push({ identity: before, intoId });
      continue;
    }
    if (group.length === 0 && before) {
      if (cause.erase) erased.push({ before, identity: tombstoneOf(before, now) });
      else ended.push(before);
      continue;
    }
    for (const change of group) finish(change, tenantId, now);
    const identity = nextIdentity(id, before, group, cause);
    const partedFrom = placed.origins.get(id);
    if (identity.document !== before?.document)
      identities.push({ identity, before, ...(partedFrom && { partedFrom }) });
  }
  const records = [...placed.changes.values()].filter(({ record, before }) => record !== before);
  return { records, identities, merged, ended, erased };
}

/** Undoing a job takes a record back to what it was before that job, however often the job changed it. */
function keepPrevious({ record, before }: RecordChange): void {
  if (!before || record.lastJobId === before.lastJobId || record.contentHash === before.contentHash) return;
  const { fields, status, changedAt, contentHash } = before;
  record.previous = { fields, status, changedAt, contentHash: contentHash.toString('base64') };
}

function tombstoneOf({ id, createdAt }: StoredIdentity, now: Date): StoredIdentity {
  const bare = { id, status: 'deleted', createdAt, updatedAt: now } as const;
  return { ...bare, document: renderIdentity(bare, [], []) };
}

function nextIdentity(
  id: string,
  before: StoredIdentity | undefined,
  group: readonly RecordChange[],
  { connectors, rankOf, now, revived }: Cause,
): StoredIdentity {
  const records = group.map(({ record }) => record);
  const attributes = mergeAttributes(id, records, connectors, rankOf);
  const draft = {
    id,
    displayName: displayNameOf(winners(attributes), records) ?? before?.displayName,
    status: deriveIdentityStatus(records),
    createdAt: before?.createdAt ?? revived?.get(id) ?? now,
    updatedAt: before?.updatedAt ?? now,
  };
  const asBefore = renderIdentity(draft, attributes, records);
  if (before === undefined || asBefore === before.document) return { ...draft, document: asBefore };
  const changed = { ...draft, updatedAt: now };
  return { ...changed, document: renderIdentity(changed, attributes, records) };
}

/** Only what the change touched is rendered again; the rest keeps its text. */
function finish(change: RecordChange, tenantId: string, now: Date): void {
  if (change.record === change.before) return;
  stampLifecycle(change, now);
  keepPrevious(change);
  change.record.document = renderRecord(change.record, tenantId);
}
