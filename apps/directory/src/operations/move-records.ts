import { encodeId, newUuid } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type LinkEvidence,
  lockIdentities,
  lockRecordsOfIdentities,
  type StoredIdentity,
  type StoredRecord,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { type Handler, Refused, type Undo } from './outcome.js';

/** Locks identities and all their records. Refuses if an identity does not exist or was erased. */
export async function lockWhole(tx: Transaction, identityIds: readonly string[]): Promise<StoredRecord[]> {
  const identities = await lockIdentities(tx, identityIds);
  const missing = identityIds.filter((id) => !identities.some((identity) => identity.id === id));
  if (missing.length > 0) {
    throw new Refused(`there is no identity ${missing.map((id) => encodeId('identity', id)).join(', ')}`);
  }
  refuseErased(identities);
  return lockRecordsOfIdentities(tx, identityIds);
}

/** Refuses tombstones of erased identities, because their purge would also delete the records moved there. */
export function refuseErased(identities: readonly StoredIdentity[]): void {
  const erased = identities.find(({ purgeAt }) => purgeAt !== undefined);
  if (erased) throw new Refused(`${encodeId('identity', erased.id)} was erased`);
}

/**
 * Links records manually: no match key moves them afterwards. Returns the previous links for a revert.
 */
export async function linkManually(
  tx: Transaction,
  cause: Cause,
  placements: readonly { record: StoredRecord; identityId: string }[],
  resolved: { caseId?: string; recordId?: string } = {},
): Promise<Undo['links']> {
  const changes: RecordChange[] = placements.map(({ record, identityId }) => ({
    before: record,
    placed: true,
    ...(record.id === resolved.recordId && { evidence: { kind: 'operator', case_id: resolved.caseId } }),
    record: { ...record, identityId, linkedBy: cause.operationId, decided: true, updatedAt: cause.now },
  }));
  return linksOf((await applyChanges(tx, cause, changes)).records);
}

/** Returns every changed link, including those of accounts and machines that followed. */
function linksOf(records: readonly RecordChange[]): Undo['links'] {
  return records.flatMap(({ record, before }) => {
    if (!before || (before.identityId === record.identityId && before.decided === record.decided)) return [];
    return [
      {
        record_id: record.id,
        from: {
          identity_id: before.identityId ?? null,
          decided: before.decided,
          linked_by: before.linkedBy,
          ...(before.evidence && { evidence: withoutValues(before.evidence) }),
        },
        to_id: record.identityId ?? null,
      },
    ];
  });
}

/** Moves records of an identity to a new one. All links become manual, so that matching does not join them again. */
export const splitIdentity: Handler<'identity.split'> = async (tx, cause, { identity_id, record_ids }) => {
  const records = await lockWhole(tx, [identity_id]);
  const leaving = new Set(record_ids);
  const unknown = record_ids.filter((id) => !records.some((record) => record.id === id));
  if (unknown.length > 0) throw new Refused(`${unknown.length} of these records do not belong to the identity`);
  if (records.every(({ id }) => leaving.has(id))) throw new Refused('at least one record must stay');
  const newId = newUuid();
  const placed = records.map((record) => ({ record, identityId: leaving.has(record.id) ? newId : identity_id }));
  const links = await linkManually(tx, cause, placed);
  return { result: { identity_id, new_identity_id: newId }, undo: { links } };
};

/** Merges identities into one; the ids of the others redirect to it. */
export const mergeIdentities: Handler<'identity.merge'> = async (tx, cause, { into_id, from_ids }) => {
  if (from_ids.includes(into_id)) throw new Refused('an identity cannot be merged into itself');
  const records = await lockWhole(tx, [into_id, ...new Set(from_ids)]);
  const placed = records.map((record) => ({ record, identityId: into_id }));
  const links = await linkManually(tx, cause, placed);
  return { result: { identity_id: into_id, merged_identity_ids: from_ids }, undo: { links } };
};

/** Returns evidence as an operation keeps it for a revert: without values, so that an erasure leaves none there. */
function withoutValues({ values, ...evidence }: LinkEvidence): LinkEvidence {
  return { ...evidence, ...(values && { values: values.map(({ field }) => ({ field })) }) };
}
