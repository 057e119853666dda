import type { OperationInput } from '@idsync/contracts';
import {
  clearKeys,
  findRecordIds,
  lockRecordsById,
  queueAllForMatching,
  saveMatchingRules,
  saveWeakKeys,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { weakValues } from '../matching/weak-values.js';
import { type Outcome, Previewed } from './outcome.js';

const portion = 1_000;
/** Joins and parts that are listed one by one; the rest is counted. */
const listed = 200;

/**
 * Gives a tenant other matching rules and sorts everybody anew by them, but for whom an operator has placed. All in one
 * transaction, portion by portion; a preview does the same and takes it back.
 */
export async function changeRules(
  tx: Transaction,
  tenant: Cause,
  { rules, preview }: OperationInput<'rules.change'>,
): Promise<Outcome> {
  const cause = { ...tenant, rules, reconsider: true };
  await saveMatchingRules(tx, cause.tenantId, rules, cause.now);
  await clearKeys(tx, cause.tenantId);
  const joined: { from_identity_id: string; into_identity_id: string }[] = [];
  const parted: { from_identity_id: string; new_identity_id: string }[] = [];
  let moved = 0;
  for (const kind of ['user', 'account', 'machine_identity'] as const) {
    for (let after: string | undefined; ; ) {
      const ids = await findRecordIds(tx, cause.tenantId, kind, after, portion);
      if (ids.length === 0) break;
      after = ids.at(-1);
      const records = await lockRecordsById(tx, ids);
      const found = records.map(({ id, fields }) => ({ id, isNew: false, values: weakValues(fields, rules) }));
      if (kind !== 'machine_identity') await saveWeakKeys(tx, cause.tenantId, found);
      const settled = await applyChanges(
        tx,
        cause,
        records.map((record) => ({ record, before: record })),
      );
      moved += settled.records.filter(({ record, before }) => record.identityId !== before?.identityId).length;
      for (const { identity, intoId } of settled.merged) {
        joined.push({ from_identity_id: identity.id, into_identity_id: intoId });
      }
      for (const { identity, partedFrom } of settled.identities) {
        if (partedFrom) parted.push({ from_identity_id: partedFrom, new_identity_id: identity.id });
      }
    }
  }
  await queueAllForMatching(tx, cause.tenantId);
  const result = {
    identities_joined: joined.length,
    identities_parted: parted.length,
    records_moved: moved,
    joined: joined.slice(0, listed),
    parted: parted.slice(0, listed),
  };
  if (preview) throw new Previewed(result);
  return { result };
}
