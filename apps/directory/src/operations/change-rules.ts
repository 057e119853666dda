import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { clearKeys, queueAllForMatching, saveMatchingRules, saveWeakKeys } from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { weakValues } from '../matching/weak-values.js';
import { everyRecord } from './every-record.js';
import { type Outcome, Previewed } from './outcome.js';

/** Maximum number of listed joins and splits; the rest is only counted. */
const listed = 200;

/**
 * Saves a tenant's matching rules and matches all records again, except manually linked ones. Runs in one transaction,
 * chunk by chunk; a preview does the same and is rolled back.
 */
export async function changeRules(
  tx: Transaction,
  tenant: Cause,
  { rules, preview }: OperationInput<'rules.change'>,
): Promise<Outcome<'rules.change'>> {
  const cause = { ...tenant, rules, reconsider: true };
  await saveMatchingRules(tx, cause.tenantId, rules, cause.now);
  await clearKeys(tx, cause.tenantId);
  const joined: { from_identity_id: string; into_identity_id: string }[] = [];
  const parted: { from_identity_id: string; new_identity_id: string }[] = [];
  let moved = 0;
  for await (const records of everyRecord(tx, cause.tenantId)) {
    const people = records.filter(({ kind }) => kind !== 'machine_identity');
    const found = people.map(({ id, fields }) => ({ id, isNew: false, values: weakValues(fields, rules) }));
    await saveWeakKeys(tx, cause.tenantId, found);
    const settled = await applyChanges(
      tx,
      cause,
      records.map((record) => ({ record, before: record })),
    );
    moved += settled.records.filter(({ record, before }) => record.identityId !== before?.identityId).length;
    for (const { identity, intoId } of settled.merged) {
      joined.push({ from_identity_id: identity.id, into_identity_id: intoId });
    }
    for (const { identity, splitFrom } of settled.identities) {
      if (splitFrom) parted.push({ from_identity_id: splitFrom, new_identity_id: identity.id });
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
