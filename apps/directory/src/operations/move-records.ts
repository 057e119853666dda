import { encodeId } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  lockIdentities,
  lockRecordsOfIdentities,
  type StoredIdentity,
  type StoredRecord,
} from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import type { RecordChange, Settled } from '../record-change.js';
import { Refused, type Undo } from './outcome.js';
import { withoutValues } from './restore-evidence.js';

/** Locks identities and all their records. Refuses if an identity does not exist or was erased. */
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
): Promise<{ settled: Settled; links: Undo['links'] }> {
  const changes: RecordChange[] = placements.map(({ record, identityId }) => ({
    before: record,
    placed: true,
    ...(record.id === resolved.recordId && { evidence: { kind: 'operator', case_id: resolved.caseId } }),
    record: { ...record, identityId, linkedBy: cause.operationId, decided: true, updatedAt: cause.now },
  }));
  const settled = await applyChanges(tx, cause, changes);
  return { settled, links: linksOf(settled.records) };
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
