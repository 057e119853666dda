import type { Safeguard, SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  addPlanEntries,
  dropEntries,
  findKeyHolders,
  openPlan,
  type PlanEntry,
  planRemoved,
} from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { activeKeys, isPermanent, keyText } from '../matching/record-keys.js';
import type { RecordChange, Settled } from '../record-change.js';
import { accessChangesOf } from './access.js';
import { countedChanges, givesAccess, planEntry, takesAccess } from './plan-entry.js';

/**
 * Applies changes of a batch, stores the result as plan entries and rolls the changes back. Planning thus runs the same
 * code as applying, so a record that cannot be applied fails here. Records of different batches of a dry run are not
 * matched with each other. A change of a record that `incoming` does not contain is not planned. Returns the external ids
 * of changes that take access from people.
 */
export async function planChanges(
  tx: Transaction,
  cause: Cause,
  job: { id: string; connectorId: string },
  changes: readonly RecordChange[],
  incoming: ReadonlyMap<string, SourceRecord>,
  guard: Safeguard | undefined,
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  const settled = await tx.rolledBack(() => applyChanges(tx, { ...cause, proposesTime: false }, changes));
  const own = new Set(changes.map(({ record }) => record.id));
  const { takers, givers } = accessChangesOf(settled, changes);
  const entries = settled.records.flatMap((change) => {
    const listed = own.has(change.record.id) ? incoming.get(change.record.externalId) : undefined;
    if (!listed) return [];
    const changedFields = countedChanges(change, guard, cause.rules);
    const entry = planEntry(change, listed, knownIdentity(change, settled));
    const { id } = change.record;
    return [takesAccess(givesAccess({ ...entry, changedFields }, givers.get(id)), takers.get(id))];
  });
  const made = guard ? changes.filter(({ before }) => !before) : [];
  const resembled = await findResembled(tx, cause, made);
  await openPlan(tx, cause.tenantId, job);
  await addPlanEntries(
    tx,
    cause.tenantId,
    job.id,
    entries.map((entry) => ({ ...entry, resembles: resembled.get(entry.recordId) })),
  );
  return new Set(changes.flatMap(({ record }) => (takers.has(record.id) ? record.externalId : [])));
}

/** Returns by record id the identities that have the first of its permanent keys, or else of its match keys, in use. */
async function findResembled(
  tx: Transaction,
  { tenantId, rules }: Cause,
  made: readonly RecordChange[],
): Promise<Map<string, NonNullable<PlanEntry['resembles']>>> {
  const wanted = made.map(({ record }) => ({ id: record.id, keys: activeKeys(record, rules) }));
  const holders = await findKeyHolders(
    tx,
    tenantId,
    rules.certain,
    wanted.flatMap(({ keys }) => keys.map(({ value }) => value)),
  );
  const holderOf = new Map(holders.map((key) => [keyText(key), key.identityId]));
  return new Map(
    wanted.flatMap(({ id, keys }) => {
      const held = keys.filter((each) => holderOf.has(keyText(each)));
      // Only these can prove that it is the same record.
      const key = held.find(isPermanent) ?? held[0];
      const identityId = key && holderOf.get(keyText(key));
      return key && identityId ? [[id, { identityId, by: key.kind, value: key.value }] as const] : [];
    }),
  );
}

/** Returns the identity that the record would belong to, unless the identity would be new. */
function knownIdentity({ record }: RecordChange, { identities }: Settled): string | undefined {
  const isNew = identities.some(({ identity, before }) => identity.id === record.identityId && !before);
  return isNew ? undefined : record.identityId;
}

/**
 * Plans the deletions that a source reports. They are applied after all other changes, as in a full run, so that a
 * replacement record still finds the old one. An earlier plan entry of a listed record is dropped.
 */
export async function planRemovals(
  tx: Transaction,
  tenantId: string,
  job: { id: string; connectorId: string },
  seq: number,
  listed: readonly SourceRecord[],
): Promise<void> {
  await dropEntries(
    tx,
    job.id,
    listed.map(({ external_id }) => external_id),
  );
  const removed = listed.filter((record) => record.removed).map(({ external_id }) => external_id);
  if (removed.length === 0) return;
  await openPlan(tx, tenantId, job);
  await planRemoved(tx, tenantId, job, seq, removed);
}
