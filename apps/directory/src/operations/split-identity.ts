import { newUuid, type OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import { linkManually, lockWhole } from './move-records.js';
import { type Outcome, Refused } from './outcome.js';

/** Moves records of an identity to a new one. All links become manual, so that matching does not join them again. */
export async function splitIdentity(
  tx: Transaction,
  cause: Cause,
  { identity_id, record_ids }: OperationInput<'identity.split'>,
): Promise<Outcome<'identity.split'>> {
  const { records } = await lockWhole(tx, [identity_id]);
  const leaving = new Set(record_ids);
  const unknown = record_ids.filter((id) => !records.some((record) => record.id === id));
  if (unknown.length > 0) throw new Refused(`${unknown.length} of these records do not belong to the identity`);
  if (records.every(({ id }) => leaving.has(id))) throw new Refused('at least one record must stay');
  const newId = newUuid();
  const { links } = await linkManually(
    tx,
    cause,
    records.map((record) => ({ record, identityId: leaving.has(record.id) ? newId : identity_id })),
  );
  return { result: { identity_id, new_identity_id: newId }, undo: { links } };
}

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
