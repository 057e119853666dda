import type { SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { addPlanEntries, openPlan } from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Settled } from '../settle-identities.js';
import { planEntry } from './plan-entry.js';

/**
 * Applies changes of a batch, stores the result as plan entries and rolls the changes back. Planning thus runs the same
 * code as applying, so a record that cannot be applied fails here. Records of different batches of a dry run are not
 * matched with each other. A change of a record that `incoming` does not contain is not planned.
 */
export async function planChanges(
  tx: Transaction,
  cause: Cause,
  job: { id: string; connectorId: string },
  changes: readonly RecordChange[],
  incoming: ReadonlyMap<string, SourceRecord>,
): Promise<void> {
  if (changes.length === 0) return;
  const settled = await tx.rolledBack(() => applyChanges(tx, cause, changes));
  const own = new Set(changes.map(({ record }) => record.id));
  const entries = settled.records.flatMap((change) => {
    const listed = own.has(change.record.id) ? incoming.get(change.record.externalId) : undefined;
    return listed ? [planEntry(change, listed, knownIdentity(change, settled))] : [];
  });
  await openPlan(tx, cause.tenantId, job);
  await addPlanEntries(tx, cause.tenantId, job.id, entries);
}

/** Returns the identity that the record would belong to, unless the identity would be new. */
function knownIdentity({ record }: RecordChange, { identities }: Settled): string | undefined {
  const isNew = identities.some(({ identity, before }) => identity.id === record.identityId && !before);
  return isNew ? undefined : record.identityId;
}
