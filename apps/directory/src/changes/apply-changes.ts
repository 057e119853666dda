import { pipelined, type Transaction } from '@idsync/database';
import { assignTime, confirmTime, proposeTime, recordEvents } from '@idsync/database/bus';
import {
  addToCounters,
  type CounterChange,
  deleteRecords,
  findFormerlyActive,
  findGroupStates,
  findGroupsWithMembers,
  insertIdentities,
  insertRecords,
  redirectIdentities,
  removeIdentities,
  restoreIdentities,
  saveAnchors,
  saveFormerReferences,
  saveGroups,
  saveTombstones,
  saveVersions,
  updateIdentities,
  updateRecords,
} from '@idsync/database/directory';
import { Overtaken } from '../batch/proposed-times.js';
import { retentionMs } from '../lifecycle/lifecycle.js';
import { stampTimes } from '../lifecycle/stamp-records.js';
import { formerManagers } from '../managers/references.js';
import { resolveManagers } from '../managers/resolve-managers.js';
import { type PlacedRecords, placeRecords } from '../matching/place-records.js';
import { saveDisputes } from '../matching/save-disputes.js';
import { noteForMatching } from '../matching/save-keys.js';
import { idsOf } from '../shared/collections.js';
import type { Cause, TimedCause } from './cause.js';
import { describeChanges } from './describe-changes.js';
import { describeGroups, groupChanges } from './group-changes.js';
import type { RecordChange, Settled } from './record-change.js';
import { settleIdentities } from './settle-identities.js';

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
  const at = await (proposesTime ? proposeTime(tx) : assignTime(tx, given.fixedTime));
  const cause: TimedCause = { ...given, proposesTime, revived: placed.revived, at };
  stampTimes(placed.changes.values(), cause);
  const settled = settleIdentities(cause, placed);
  cause.access?.add(settled);
  await saveSettled(tx, cause, placed, settled);
  return settled;
}

/**
 * Writes the settled changes. Three rules give the order of the statements:
 * - With a proposed time, rows that only this transaction can write come before the lock of the sequence, and what
 *   concurrent changes write too comes after it: review cases, totals, groups, events.
 * - A version is a copy of its row, so it is saved before the row changes.
 * - Groups are counted before the records change, and after that.
 *
 * PostgreSQL executes statements in the order in which they are sent. `send` does not wait for the result of one, so that
 * the next one is prepared meanwhile.
 */
async function saveSettled(tx: Transaction, cause: TimedCause, placed: PlacedRecords, settled: Settled): Promise<void> {
  const groups = groupChanges(settled.records);
  const isOfGroups = groups.length > 0 || cause.groups !== undefined;
  const locksFirst = isOfGroups || !writesOnlyLockedRows(settled, cause);
  await pipelined(async (send) => {
    if (locksFirst) await confirmProposed(tx, cause);
    const renamed = await saveListedGroups(tx, cause);
    const groupIds = [...new Set([...idsOf(groups), ...renamed.keys()])];
    const before = await findGroupsWithMembers(tx, groupIds);
    await saveRecords(tx, cause, settled, send);
    await saveIdentities(tx, cause, settled, send);
    const events = describeChanges(settled, cause, await findFormerlyActive(tx, startedIn(settled)));
    if (!locksFirst) await confirmProposed(tx, cause);
    await saveDisputes(tx, cause, placed);
    send(addToCounters(tx, countChanges(settled)));
    const after = await findGroupsWithMembers(tx, groupIds);
    const states = await findGroupStates(tx, groupIds);
    await recordEvents(tx, [...events, ...describeGroups(groups, { states, renamed, before, after }, cause)]);
  });
}

/** Stores the groups that the records of a run list by their keys. Returns the former names of renamed ones. */
async function saveListedGroups(tx: Transaction, { groups, at }: TimedCause): Promise<Map<string, string>> {
  if (!groups) return new Map();
  const renamed = await saveGroups(tx, groups, groups.listed, at);
  if (!renamed) throw new Overtaken();
  return renamed;
}

/** Locks the tenant's sequence for a change that was rendered with a proposed time; else `assignTime` has locked it. */
async function confirmProposed(tx: Transaction, { at, proposesTime }: TimedCause): Promise<void> {
  if (proposesTime && !(await confirmTime(tx, at))) throw new Overtaken();
}

/**
 * True if the settled changes only add rows, or update rows that their transaction has locked. Other changes may wait for
 * rows of each other, and must therefore have the lock of the sequence before they write.
 */
function writesOnlyLockedRows({ records, merged, ended, erased }: Settled, { revived }: TimedCause): boolean {
  const removes = merged.length + ended.length + erased.length > 0 || records.some(({ removed }) => removed);
  return !removes && (revived?.size ?? 0) === 0;
}

/** Returns the identities that were pending and become active. */
function startedIn({ identities }: Settled): string[] {
  return identities.flatMap(({ identity, before }) =>
    before?.status === 'pending' && identity.status === 'active' ? identity.id : [],
  );
}

type Send = (sent: Promise<unknown>) => void;

async function saveRecords(tx: Transaction, { at }: TimedCause, { records }: Settled, send: Send) {
  const present = records.filter(({ removed }) => !removed);
  const made = present.flatMap(({ record, before }) => (before ? [] : record));
  const changed = present.flatMap(({ record, before }) => (before ? record : []));
  const removed = records.filter((change) => change.removed).map(({ record }) => record);
  const shownOtherwise = present.flatMap(({ record, before }) =>
    before && before.document !== record.document ? record.id : [],
  );
  send(insertRecords(tx, made));
  await saveVersions(tx, 'source_records', shownOtherwise, at);
  await updateRecords(tx, changed);
  await deleteRecords(tx, idsOf(removed));
  await saveFormerReferences(tx, formerManagers(present));
}

async function saveIdentities(
  tx: Transaction,
  { at, policy, revived }: TimedCause,
  { identities, merged, ended, erased }: Settled,
  send: Send,
): Promise<void> {
  const made = identities.flatMap(({ identity, before }) => (before ? [] : identity));
  const changed = identities.flatMap(({ identity, before }) => (before ? identity : []));
  const outdated = idsOf([...changed, ...merged.map(({ identity }) => identity)]);
  await saveVersions(tx, 'identities', outdated, at);
  const returning = made.filter(({ id }) => revived?.has(id));
  await restoreIdentities(tx, idsOf(returning), at);
  send(insertIdentities(tx, made));
  await updateIdentities(tx, changed);
  const tombstones = erased.map(({ identity }) => identity);
  await saveTombstones(tx, tombstones, new Date(at.getTime() + retentionMs(policy)));
  await removeIdentities(tx, idsOf(ended));
  await redirectIdentities(tx, merged, at);
}

/** Returns the changes of the list totals and positions. */
function countChanges(settled: Settled): CounterChange[] {
  const totals = new Map<string, CounterChange>();
  const add = (
    resource: CounterChange['resource'],
    counted: Pick<CounterChange, 'status' | 'createdAt'> | undefined,
    by: number,
  ) => {
    if (!counted) return;
    const { status, createdAt } = counted;
    const key = `${resource} ${status} ${createdAt.getTime()}`;
    totals.set(key, { resource, status, createdAt, by: (totals.get(key)?.by ?? 0) + by });
  };
  for (const { identity, before } of [...settled.identities, ...settled.erased]) {
    add('identity', before, -1);
    add('identity', identity, 1);
  }
  for (const { identity } of settled.merged) add('identity', identity, -1);
  for (const identity of settled.ended) add('identity', identity, -1);
  for (const { record, before, removed } of settled.records) {
    if (record.kind !== 'user') continue;
    add('user', before, -1);
    if (!removed) add('user', record, 1);
  }
  return [...totals.values()].filter(({ by }) => by !== 0);
}
