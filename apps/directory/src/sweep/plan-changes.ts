import { encodeId, isRealDate, type Safeguard, type SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  addPlanEntries,
  dropEntries,
  findKeyHolders,
  openPlan,
  type PlanEntry,
  planMarks,
  planRemoved,
  statusOfIdentity,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import { boundChanges, diffFields } from '../changes/field-changes.js';
import type { RecordChange, Settled } from '../changes/record-change.js';
import { activeKeys, isPermanent, type KeyRules, keyText, type RecordKey } from '../matching/record-keys.js';
import { sameValues } from '../shared/collections.js';
import { accessChangesOf, externalIdsOf, type Step } from './access.js';
import { destructiveActionOf, isEnablingStep } from './guard.js';
import { isReused } from './reused-ids.js';

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
  const wanted = made.map(({ record }) => ({ id: record.id, keys: activeKeys(record, cause.rules) }));
  const resembled = await findResembled(tx, cause, wanted);
  await openPlan(tx, job);
  const planned = entries.map((entry) => ({ ...entry, resembles: resembled.get(entry.recordId) }));
  await addPlanEntries(tx, job.id, planned);
  return externalIdsOf(takers, changes);
}

/** Returns by record the identities that have the first of its permanent keys, or else of its match keys, in use. */
export async function findResembled(
  tx: Transaction,
  { rules }: Cause,
  wanted: readonly { id: string; keys: readonly RecordKey[] }[],
): Promise<Map<string, NonNullable<PlanEntry['resembles']>>> {
  const values = wanted.flatMap(({ keys }) => keys.map(({ value }) => value));
  const holders = await findKeyHolders(tx, rules.certain, values);
  const holderOf = new Map(holders.map((key) => [keyText(key), key.identityId]));
  return new Map(
    wanted.flatMap(({ id, keys }) => {
      const held = keys.filter((each) => holderOf.has(keyText(each)));
      // Only these can prove that it is the same record.
      const key = held.find(isPermanent) ?? held[0];
      const identityId = key && holderOf.get(keyText(key));
      return key && identityId ? [[id, { identityId, by: key.kind }] as const] : [];
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
  job: { id: string; connectorId: string },
  seq: number,
  listed: readonly SourceRecord[],
): Promise<void> {
  const ids = listed.map(({ external_id }) => external_id);
  await dropEntries(tx, job.id, ids);
  const removed = listed.filter((record) => record.removed).map(({ external_id }) => external_id);
  if (removed.length === 0) return;
  await openPlan(tx, job);
  await planRemoved(tx, job, seq, removed);
}

/**
 * Returns the plan entry of a change: the action, the changed values, the source's record and the version it is based
 * on.
 */
export function planEntry(
  change: RecordChange,
  incoming: SourceRecord,
  identityId = change.before?.identityId,
): Omit<PlanEntry, 'id'> {
  const { record, before, losesAt } = change;
  const source = encodeId('connector', record.connectorId);
  const values = diffFields(before?.fields ?? {}, record.fields, source).filter(({ field }) => field !== 'status');
  const to = losesAt ? `inactive from ${losesAt.toISOString()}` : record.status;
  const status = before?.status === to ? [] : [{ field: 'status', from: before?.status, to, source }];
  return {
    seq: record.lastSeq,
    action: before ? (destructiveActionOf(change) ?? 'update') : 'create',
    recordId: record.id,
    kind: record.kind,
    externalId: record.externalId,
    identityId,
    changes: boundChanges([...values, ...status]).changes,
    incoming: JSON.stringify(incoming),
    basedOn: before?.updatedAt,
  };
}

/** A change that takes access from its person waits like a disable, and shows the statuses of the identity. */
function takesAccess<Entry extends Omit<PlanEntry, 'id'>>(entry: Entry, loss: Step | undefined): Entry {
  if (!loss || entry.action === 'disable' || entry.action === 'delete') return entry;
  return {
    ...entry,
    action: 'disable',
    changes: [...entry.changes, { field: statusOfIdentity, ...loss }],
    changedFields: [...(entry.changedFields ?? []), planMarks.losing],
  };
}

/** A change that gives access to its person counts as one that enables a record. */
function givesAccess<Entry extends Omit<PlanEntry, 'id'>>(entry: Entry, gain: Step | undefined): Entry {
  const { changedFields = [] } = entry;
  if (!gain || changedFields.includes(planMarks.enabled)) return entry;
  return {
    ...entry,
    changes: [...entry.changes, { field: statusOfIdentity, ...gain }],
    changedFields: [...changedFields, planMarks.gaining],
  };
}

/**
 * Returns what the safeguard counts of a change: the fields that it changes, a return to `active`, and an external id that
 * belongs to another person now.
 */
export function countedChanges(
  change: RecordChange,
  guard: Pick<Safeguard, 'changed_fields'> | undefined,
  rules: KeyRules,
): string[] {
  const { before, record } = change;
  return [
    ...(guard ? changedFieldsOf(change, guard.changed_fields) : []),
    ...(before && isEnablingStep(before.status, record.status) ? [planMarks.enabled] : []),
    ...(isReused(change, rules) ? [planMarks.reused] : []),
  ];
}

/**
 * Returns those of the fields whose stored value changes or is lost. A value where there was none is no loss, except the
 * date on which the person will lose access.
 */
function changedFieldsOf(
  { record, before }: Pick<RecordChange, 'record' | 'before'>,
  fields: readonly string[],
): string[] {
  if (!before) return [];
  return fields.filter((field) => {
    const from = before.fields[field];
    const isNewEnd = field === 'termination_date' && record.fields[field]?.some(isRealDate) === true;
    return ((from !== undefined && from.length > 0) || isNewEnd) && !sameValues(from ?? [], record.fields[field]);
  });
}
