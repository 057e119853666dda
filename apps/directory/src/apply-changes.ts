import { pipelined, type Transaction } from '@idsync/database';
import { assignTime, confirmTime, proposeTime, recordEvents } from '@idsync/database/bus';
import {
  addToCounters,
  deleteRecords,
  findFormerlyActive,
  findGroupsWithMembers,
  insertIdentities,
  insertRecords,
  redirectIdentities,
  removeIdentities,
  restoreIdentities,
  saveAnchors,
  saveFormerReferences,
  saveIdentityVersions,
  saveRecordVersions,
  saveTombstones,
  updateIdentities,
  updateRecords,
} from '@idsync/database/directory';
import type { Cause, TimedCause } from './cause.js';
import { countChanges } from './count-changes.js';
import { describeChanges } from './describe-changes.js';
import { describeGroups, groupChanges } from './group-changes.js';
import { retentionMs } from './lifecycle.js';
import { formerManagers } from './managers/manager-reference.js';
import { resolveManagers } from './managers/resolve-managers.js';
import { noteForMatching } from './matching/note-for-matching.js';
import { type PlacedRecords, placeRecords } from './matching/place-records.js';
import { saveDisputes } from './matching/save-disputes.js';
import { TimeRefused } from './proposed-times.js';
import type { RecordChange, Settled } from './record-change.js';
import { settleIdentities } from './settle-identities.js';
import { stampTimes } from './stamp-lifecycle.js';

/** Changes from which a time is proposed; fewer hold the lock for a few milliseconds only. */
const proposingChanges = 100;

/**
 * Applies changed records with their consequences: links, identities, documents, totals, history and events. Every
 * change of the directory ends here. Call it last in a transaction, because it locks the tenant's sequence and totals
 * until the commit. Records are matched before that lock, and rendered and written under it: their documents contain
 * the time, which follows the order of commits. With a proposed time, new and changed records and identities are
 * written before the lock.
 */
export async function applyChanges(tx: Transaction, given: Cause, changes: readonly RecordChange[]): Promise<Settled> {
  if (changes.length === 0) return { records: [], identities: [], merged: [], ended: [], erased: [] };
  const { tenantId } = given;
  const placed = await placeRecords(tx, given, changes);
  // A new record may get the external id that another one gives up, which then names no manager.
  await saveAnchors(
    tx,
    [...placed.changes.values()].flatMap(({ record, before, removed }) =>
      before && !removed && before.externalId !== record.externalId ? record : [],
    ),
  );
  await resolveManagers(tx, given, placed);
  const present = [...placed.changes.values()].filter(({ record, before, removed }) => record !== before && !removed);
  await noteForMatching(tx, given, present);
  const proposesTime = given.proposesTime === true && changes.length >= proposingChanges;
  const at = await (proposesTime ? proposeTime(tx, tenantId) : assignTime(tx, tenantId, given.fixedTime));
  const cause: TimedCause = { ...given, proposesTime, revived: placed.revived, at };
  stampTimes(placed.changes.values(), cause);
  const settled = settleIdentities(cause, placed);
  cause.access?.add(settled);
  await saveSettled(tx, cause, placed, settled);
  return settled;
}

/** Writes the settled changes. PostgreSQL inserts new records and identities while the following statements are prepared. */
async function saveSettled(tx: Transaction, cause: TimedCause, placed: PlacedRecords, settled: Settled): Promise<void> {
  const { tenantId } = cause;
  const present = settled.records.filter(({ removed }) => !removed);
  const made = present.filter(({ before }) => !before).map(({ record }) => record);
  const changed = present.filter(({ before }) => before).map(({ record }) => record);
  const removed = settled.records.filter((change) => change.removed).map(({ record }) => record.id);
  const groups = groupChanges(settled.records);
  const groupIds = groups.map(({ group }) => group.id);
  const locksLater = cause.proposesTime && groups.length === 0 && writesOnlyLockedRows(settled, cause);
  await pipelined(async (send) => {
    if (cause.proposesTime && !locksLater) await lockSequence(tx, cause);
    const before = await findGroupsWithMembers(tx, tenantId, groupIds);
    send(insertRecords(tx, tenantId, made));
    await saveRecordVersions(
      tx,
      present.flatMap(({ record, before: was }) => (was && was.document !== record.document ? record.id : [])),
      cause.at,
    );
    await updateRecords(tx, changed);
    await deleteRecords(tx, removed);
    await saveFormerReferences(tx, tenantId, formerManagers(present));
    await saveIdentities(tx, cause, settled, send);
    const started = settled.identities.filter(
      ({ before: was, identity }) => was?.status === 'pending' && identity.status === 'active',
    );
    const formerlyActive = await findFormerlyActive(
      tx,
      tenantId,
      started.map(({ identity }) => identity.id),
    );
    const events = describeChanges(settled, cause, formerlyActive);
    if (locksLater) await lockSequence(tx, cause);
    await saveDisputes(tx, cause, placed);
    send(addToCounters(tx, tenantId, countChanges(settled)));
    const after = await findGroupsWithMembers(tx, tenantId, groupIds);
    await recordEvents(tx, tenantId, [...events, ...describeGroups(groups, { before, after }, cause)]);
  });
}

/** Locks the tenant's sequence for a change that was rendered with a proposed time. Throws TimeRefused. */
async function lockSequence(tx: Transaction, { tenantId, at }: TimedCause): Promise<void> {
  if (!(await confirmTime(tx, tenantId, at))) throw new TimeRefused();
}

/**
 * True if the settled changes only add rows, or update rows that their transaction has locked. Other changes may wait for
 * rows of each other, and must therefore have the lock of the sequence before they write.
 */
function writesOnlyLockedRows({ records, merged, ended, erased }: Settled, { revived }: TimedCause): boolean {
  const removes = merged.length + ended.length + erased.length > 0 || records.some(({ removed }) => removed);
  return !removes && (revived?.size ?? 0) === 0;
}

async function saveIdentities(
  tx: Transaction,
  cause: TimedCause,
  { identities, merged, ended, erased }: Settled,
  send: (sent: Promise<unknown>) => void,
): Promise<void> {
  const { tenantId } = cause;
  const outdated = [
    ...identities.filter(({ before }) => before).map(({ identity }) => identity.id),
    ...merged.map(({ identity }) => identity.id),
  ];
  await saveIdentityVersions(tx, outdated, cause.at);
  const made = identities.flatMap(({ identity, before }) => (before ? [] : identity));
  const revived = made.flatMap(({ id }) => (cause.revived?.has(id) ? id : []));
  await restoreIdentities(tx, revived, cause.at);
  send(insertIdentities(tx, tenantId, made));
  const changed = identities.flatMap(({ identity, before }) => (before ? identity : []));
  await updateIdentities(tx, tenantId, changed);
  await saveTombstones(
    tx,
    erased.map(({ identity }) => identity),
    new Date(cause.at.getTime() + retentionMs(cause.policy)),
  );
  await removeIdentities(
    tx,
    ended.map(({ id }) => id),
  );
  await redirectIdentities(tx, tenantId, merged, cause.at);
}
