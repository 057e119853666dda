import { encodeId, type MatchingRules, type OperationInput, recordIds } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  countLiveRecords,
  dropHeldPlans,
  findHolder,
  findLiveRecordIds,
  findUsersOfSource,
  groupIdsField,
  type Holder,
  lockRecordsByAnchor,
  lockRecordsById,
  lockUnfinishedJobs,
  renewListTerms,
  type StoredRecord,
  saveAnchors,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { activeKeys, isDeleted, keyText, tombstoneOf } from '../matching/record-keys.js';
import { append, byId, idsOf } from '../shared/collections.js';
import { Refused } from './outcome.js';
import { type TenantChange, Waiting } from './tenant-change.js';

/** Maximum number of listed conflicts; the rest is only counted. */
const listed = 200;

/**
 * Moves the live records of a deleted connector to another one, so that its next run finds them by their anchors. If
 * the other connector has read the same person already, the older record gets the anchor and the values of the newer
 * one, which becomes a tombstone of the deleted connector. A run between two parts ends before the next one.
 */
export const handOverRecords: TenantChange<'connector.hand_over'> = {
  nothing: { records_moved: 0, records_joined: 0, records_in_conflict: 0, conflicts: [] },
  steps: 1,
  begin: async (tx, _, input) => {
    const holders = await requireHolders(tx, input);
    if (input.preview) return;
    await requireIdle(tx, holders);
    await dropHeldPlans(tx, input.from_id);
  },
  count: (tx, { from_id }) => countLiveRecords(tx, from_id),
  find: (tx, { from_id }, { after }, limit) => findLiveRecordIds(tx, from_id, after, limit),
  change: async (tx, given, input, ids, done) => {
    const holders = await requireHolders(tx, input);
    if (!input.preview) await requireIdle(tx, holders);
    const { from, to } = holders;
    const cause = { ...given, rerender: true };
    const found = await findCounterparts(tx, await lockRecordsById(tx, ids), { from, to, rules: cause.rules });
    await applyChanges(tx, cause, await moveAnchors(tx, cause, to, found));
    // A run that began in the meantime may have read a record that has another anchor now.
    if (!input.preview) await requireIdle(tx, holders);
    return {
      records_moved: done.records_moved + found.moves.length,
      records_joined: done.records_joined + found.joins.length,
      records_in_conflict: done.records_in_conflict + found.conflicts.length,
      conflicts: [...done.conflicts, ...found.conflicts.map(({ id, kind }) => encodeId(recordIds[kind], id))].slice(
        0,
        listed,
      ),
    };
  },
};

interface Holders {
  from: Holder;
  to: Holder;
}

async function requireHolders(
  tx: Transaction,
  { from_id, to_id }: OperationInput<'connector.hand_over'>,
): Promise<Holders> {
  const [from, to] = [await findHolder(tx, from_id), await findHolder(tx, to_id)];
  if (!from || !to) throw new Refused('the connector does not exist');
  if (!from.isDeleted) throw new Refused(`the connector ${from.name} is not deleted`);
  if (to.isDeleted) throw new Refused(`the connector ${to.name} is deleted`);
  if (from.records !== to.records) {
    throw new Refused(`${from.name} has records of kind ${from.records}, and ${to.name} of kind ${to.records}`);
  }
  return { from, to };
}

/**
 * A run in progress compares anchors, and a held one of the new connector has planned changes of them. A queued one
 * cannot start before the transaction ends.
 */
async function requireIdle(tx: Transaction, { from, to }: Holders): Promise<void> {
  const unfinished = await lockUnfinishedJobs(tx, [from.id, to.id]);
  const isBusy = unfinished.some(
    ({ connectorId, status }) => status === 'running' || (status === 'quarantined' && connectorId === to.id),
  );
  if (isBusy) throw new Waiting(`a sync job of ${from.name} or ${to.name} has not ended: try again afterwards`);
}

/** Moves the anchors, and returns the changes of the records from their new state. */
async function moveAnchors(
  tx: Transaction,
  { now }: Cause,
  to: Holder,
  { moves, joins }: Awaited<ReturnType<typeof findCounterparts>>,
): Promise<RecordChange[]> {
  // An anchor is unique at every moment, so the newer records give theirs up first.
  const freed = joins.map(({ newer }) => ({ ...newer, externalId: `handed-over ${newer.id}` }));
  const taken = joins.map(({ older, newer }) => ({ ...newer, id: older.id }));
  const left = joins.map(({ older, newer }) => ({ ...older, id: newer.id }));
  await saveAnchors(tx, freed);
  await saveAnchors(tx, [...moves.map((record) => ({ ...record, connectorId: to.id })), ...taken]);
  await saveAnchors(tx, left);
  const ids = [...idsOf(moves), ...joins.flatMap(({ older, newer }) => [older.id, newer.id])];
  const present = byId(await lockRecordsById(tx, ids));
  // Groups belong to a source.
  await renewListTerms(tx, [...present.values()]);
  const change = (
    { id, connectorId, externalId: formerId }: StoredRecord,
    next: (record: StoredRecord) => StoredRecord,
  ): RecordChange[] => {
    const before = present.get(id);
    if (!before) return [];
    // An account shows its source, so its event names the earlier one.
    const earlier = before.kind === 'account' ? { ...before, connectorId } : before;
    return [{ before: earlier, record: next(before), formerId }];
  };
  return [
    // The document of an account shows its source; that of a user does not change.
    ...moves.flatMap((each) =>
      change(each, (record) => {
        const moved = withoutGroupIds(record);
        return record.kind === 'user' ? moved : { ...moved, updatedAt: now };
      }),
    ),
    ...joins.flatMap(({ older, newer }) => [
      ...change(older, (record) => withValuesOf(record, newer, now)),
      ...change(newer, (record) => ({ ...tombstoneOf(record), updatedAt: now })),
    ]),
  ];
}

/** Groups and their keys belong to the former source; until the new one lists the record again, its groups are names. */
function withoutGroupIds(record: StoredRecord): StoredRecord {
  const { [groupIdsField]: _, ...fields } = record.fields;
  // No listed record has this hash, so the next run compares the record and gives its groups their keys.
  return fields.groups ? { ...record, fields, contentHash: Buffer.alloc(16) } : record;
}

/** Keeps the values if the new source no longer lists the record: its next run deletes it under its safeguard. */
function withValuesOf(older: StoredRecord, newer: StoredRecord, now: Date): StoredRecord {
  if (isDeleted(newer)) return { ...withoutGroupIds(older), updatedAt: now };
  const { fields, status, contentHash, changedAt, lastJobId, lastSeq } = newer;
  return { ...older, fields, status, contentHash, changedAt, lastJobId, lastSeq, updatedAt: now };
}

/** Records of a deleted connector, by what the new connector knows about them. */
interface Counterparts {
  /** Unknown to the new connector. */
  moves: StoredRecord[];
  /** Known to it as another record of the same identity, with the same anchor or a common match key. */
  joins: { older: StoredRecord; newer: StoredRecord }[];
  /** The anchor belongs to a record of another identity. */
  conflicts: StoredRecord[];
}

/** Finds the records of the new connector that are the same as these records of the deleted one. */
async function findCounterparts(
  tx: Transaction,
  records: readonly StoredRecord[],
  { from, to, rules }: { from: Holder; to: Holder; rules: MatchingRules },
): Promise<Counterparts> {
  const anchorsOf = (all: readonly StoredRecord[]) => all.map(({ externalId }) => externalId);
  const byAnchor = new Map(
    (await lockRecordsByAnchor(tx, to.id, anchorsOf(records))).map((each) => [each.externalId, each]),
  );
  const users = records.filter(({ kind, externalId }) => kind === 'user' && !byAnchor.has(externalId));
  const candidates = await findUsersOfSource(
    tx,
    to.id,
    users.flatMap(({ identityId }) => identityId ?? []),
  );
  const siblings = await lockRecordsById(tx, idsOf(candidates));
  // A record of the new connector whose anchor the deleted one has too belongs to that record.
  const ofAnother = new Set(anchorsOf(await lockRecordsByAnchor(tx, from.id, anchorsOf(siblings))));
  const free = new Map<string | undefined, StoredRecord[]>();
  for (const each of siblings) if (!ofAnother.has(each.externalId)) append(free, each.identityId, each);
  const found: Counterparts = { moves: [], joins: [], conflicts: [] };
  for (const older of records) {
    const others = free.get(older.identityId) ?? [];
    const newer = byAnchor.get(older.externalId) ?? others.find((each) => haveCommonKey(older, each, rules));
    free.set(
      older.identityId,
      others.filter((each) => each !== newer),
    );
    if (!newer) found.moves.push(older);
    else if (newer.identityId === older.identityId) found.joins.push({ older, newer });
    else found.conflicts.push(older);
  }
  return found;
}

function haveCommonKey(one: StoredRecord, other: StoredRecord, rules: MatchingRules): boolean {
  if (one.identityId === undefined || one.identityId !== other.identityId || isDeleted(other)) return false;
  const keys = new Set(activeKeys(one, rules).map(keyText));
  return activeKeys(other, rules).some((key) => keys.has(keyText(key)));
}
