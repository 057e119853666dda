import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import { linkManually, lockWhole } from './move-records.js';
import { type Outcome, Refused } from './outcome.js';

/** Merges identities into one; the ids of the others redirect to it. */
export async function mergeIdentities(
  tx: Transaction,
  cause: Cause,
  { into_id, from_ids }: OperationInput<'identity.merge'>,
): Promise<Outcome<'identity.merge'>> {
  if (from_ids.includes(into_id)) throw new Refused('an identity cannot be merged into itself');
  const { records } = await lockWhole(tx, [into_id, ...new Set(from_ids)]);
  const { links } = await linkManually(
    tx,
    cause,
    records.map((record) => ({ record, identityId: into_id })),
  );
  return { result: { identity_id: into_id, merged_identity_ids: from_ids }, undo: { links } };
}
