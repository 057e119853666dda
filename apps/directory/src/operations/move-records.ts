import { encodeId } from '@idsync/contracts';
import {
  lockIdentities,
  lockRecordsOfIdentities,
  type StoredIdentity,
  type StoredRecord,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Settled } from '../settle-identities.js';
import { Refused, type Undo } from './outcome.js';

/** Locks identities and all their records. Refuses if one of them is not there, or is the tombstone of somebody erased. */
export async function lockWhole(
  tx: Transaction,
  identityIds: readonly string[],
): Promise<{ identities: StoredIdentity[]; records: StoredRecord[] }> {
  const identities = await lockIdentities(tx, identityIds);
  const missing = identityIds.filter((id) => !identities.some((identity) => identity.id === id));
  if (missing.length > 0) {
    throw new Refused(`there is no identity ${missing.map((id) => encodeId('identity', id)).join(', ')}`);
  }
  refuseErased(identities);
  return { identities, records: await lockRecordsOfIdentities(tx, identityIds) };
}

/** A tombstone is removed when its time comes, with whoever would be in it. */
export function refuseErased(identities: readonly StoredIdentity[]): void {
  const erased = identities.find(({ purgeAt }) => purgeAt !== undefined);
  if (erased) throw new Refused(`${encodeId('identity', erased.id)} was erased`);
}

/**
 * Puts records where an operator wants them, for good: whatever their keys say, they are neither joined nor parted by
 * themselves again. Returns what takes it back.
 */
export async function placeDecided(
  tx: Transaction,
  cause: Cause,
  placements: readonly { record: StoredRecord; identityId: string }[],
): Promise<{ settled: Settled; links: Undo['links'] }> {
  const changes: RecordChange[] = placements.map(({ record, identityId }) => ({
    before: record,
    placed: true,
    record: { ...record, identityId, linkedBy: cause.operationId, decided: true, updatedAt: cause.now },
  }));
  const settled = await applyChanges(tx, cause, changes);
  return { settled, links: linksOf(settled.records) };
}

/** Every link that changed, also of those who only followed. */
function linksOf(records: readonly RecordChange[]): Undo['links'] {
  return records.flatMap(({ record, before }) => {
    if (!before || (before.identityId === record.identityId && before.decided === record.decided)) return [];
    return [
      {
        record_id: record.id,
        from: { identity_id: before.identityId ?? null, decided: before.decided, linked_by: before.linkedBy },
        to_id: record.identityId ?? null,
      },
    ];
  });
}
