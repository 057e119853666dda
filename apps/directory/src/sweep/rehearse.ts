import type { SourceRecord } from '@idsync/contracts';
import { addPlanEntries, openPlan, type Transaction } from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Settled } from '../settle-identities.js';
import { planEntry } from './plan-entry.js';

/**
 * Makes the changes of a batch, writes down what came of its records, and takes the changes back: a dry run goes the way
 * of a real one to its last statement. People whom different batches bring do not meet.
 */
export async function rehearse(
  tx: Transaction,
  cause: Cause,
  job: { id: string; connectorId: string },
  changes: readonly RecordChange[],
  incoming: ReadonlyMap<string, SourceRecord>,
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query('savepoint rehearsal');
  const settled = await applyChanges(tx, cause, changes);
  await tx.query('rollback to savepoint rehearsal');
  const own = new Set(changes.map(({ record }) => record.id));
  const entries = settled.records.flatMap((change) => {
    const said = own.has(change.record.id) ? incoming.get(change.record.externalId) : undefined;
    return said ? [planEntry(change, said, knownIdentity(change, settled))] : [];
  });
  await openPlan(tx, cause.tenantId, job);
  await addPlanEntries(tx, cause.tenantId, job.id, entries);
}

/** The identity a record would belong to, unless it would only be made. */
function knownIdentity({ record }: RecordChange, { identities }: Settled): string | undefined {
  const isNew = identities.some(({ identity, before }) => identity.id === record.identityId && !before);
  return isNew ? undefined : record.identityId;
}
