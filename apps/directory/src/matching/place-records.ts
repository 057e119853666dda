import type { Transaction } from '@idsync/database';
import { type EarlierIdentity, type StoredIdentity, type StoredRecord, setWaiting } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { placeMachines } from '../machines/place-machines.js';
import { append } from '../shared/collections.js';
import type { Assignment } from './assign-identities.js';
import { recordEvidence } from './evidence-of-links.js';
import type { Holder } from './follow-people.js';
import { Neighbourhood } from './neighbourhood.js';
import { placeAccounts } from './place-accounts.js';
import { disputedPeople, placePeople, successorsOf } from './place-people.js';
import { keyText } from './record-keys.js';
import type { DisputedRecord } from './relate-clusters.js';
import { saveKeys } from './save-keys.js';

export interface PlacedRecords {
  /**
   * All records of the neighbourhood by id, with their new links. In an unchanged entry, `record` and `before` are the
   * same object.
   */
  changes: Map<string, RecordChange>;
  /** The neighbourhood's identities before the change. */
  stored: ReadonlyMap<string, StoredIdentity>;
  /** Records that were loaded only for machines; their people were not matched. */
  loadedForMachines: ReadonlySet<string>;
  /** Identities whose records were changed, added or removed. */
  affected: Set<string>;
  /** Identities that lost all their records, with the identity that now has most of them. */
  successors: Map<string, string>;
  /** New identities, with the identity that they were split from. */
  origins: Map<string, string>;
  /** Merged identities that may have records again, as they were. */
  revived: ReadonlyMap<string, EarlierIdentity>;
  disputes: DisputedRecord[];
}

/** Links changed records and all records affected by them to identities: first people, then accounts and machines. */
export async function placeRecords(
  tx: Transaction,
  cause: Cause,
  changes: readonly RecordChange[],
): Promise<PlacedRecords> {
  const neighbourhood = await Neighbourhood.around(tx, cause, changes);
  const waitingIds = changes.some(({ record }) => record.kind === 'user') ? await neighbourhood.addWaiting() : [];
  const touched = new Set([...changes.map(({ record }) => record.id), ...waitingIds]);

  const people = await placePeople(tx, cause, neighbourhood);
  const { assignments, revived } = people;
  const links = new Map(
    assignments.flatMap(({ cluster, identityId }) =>
      cluster.members.map(({ recordId }) => [recordId, identityId] as const),
    ),
  );
  const successors = successorsOf(neighbourhood, links);
  const moved = await saveKeys(tx, neighbourhood, assignments);

  // Most batches have neither accounts nor machines, which alone follow holders of keys.
  let known: ReadonlyMap<string, readonly Holder[]> | undefined;
  const holders = () => {
    known ??= holdersOf(assignments, neighbourhood);
    return known;
  };
  const accounts = placeAccounts(neighbourhood, { assignments, links, successors, holders }, cause);
  for (const { record, identityId } of accounts) if (identityId) links.set(record.id, identityId);
  const machines = await placeMachines(tx, cause, neighbourhood, { links, successors, holders, touched, moved });
  const waiting = accounts.flatMap(({ record, waitsFor }) => (waitsFor ? [{ id: record.id, keys: waitsFor }] : []));
  await setWaiting(tx, [...waiting, ...machines]);

  // Evidence of a case is about the identity that the record had before.
  const disputes = [...disputedPeople(people, neighbourhood), ...accounts.flatMap((account) => account.disputes)];
  const linked = linkRecords(neighbourhood, links, successors, cause);
  const followedKeys = new Map(accounts.flatMap(({ record, key }) => (key ? [[record.id, key]] : [])));
  recordEvidence(neighbourhood, assignments, followedKeys, cause);
  return {
    ...linked,
    stored: neighbourhood.identities,
    loadedForMachines: neighbourhood.loadedForMachines,
    successors,
    revived,
    disputes,
  };
}

function holdersOf(assignments: readonly Assignment[], neighbourhood: Neighbourhood): Map<string, Holder[]> {
  const holders = new Map<string, Holder[]>();
  for (const { cluster, identityId } of assignments) {
    const holder = { identityId, numbers: cluster.numbers, names: cluster.names };
    for (const key of cluster.members.flatMap(({ keys }) => keys)) {
      const text = keyText(key);
      if (neighbourhood.keys.get(text)?.shared !== 'common') append(holders, text, holder);
    }
  }
  return holders;
}

function linkRecords(
  neighbourhood: Neighbourhood,
  links: ReadonlyMap<string, string>,
  successors: Map<string, string>,
  cause: Cause,
): Pick<PlacedRecords, 'changes' | 'affected' | 'origins'> {
  const { jobId, operationId, now, rerender, erase } = cause;
  const affected = new Set<string>();
  const origins = new Map<string, string>();
  const remaining = new Set<string>();
  const isKept = (record: StoredRecord) =>
    jobId !== undefined && neighbourhood.strengths.strengthOf(record) !== 'loose';
  for (const [id, change] of neighbourhood.changes) {
    const { record, before, placed } = change;
    const identityId = links.get(id);
    // A revert places a record in its former identity; a match key may keep it in the present one.
    if (identityId !== before?.identityId || identityId !== record.identityId) {
      const isAsPlaced = placed && identityId === record.identityId;
      const linkedBy = isAsPlaced ? record.linkedBy : (jobId ?? operationId);
      const keptIdentityId =
        neighbourhood.strengths.keptIdentityOf(record) ?? (before && isKept(before) ? before.identityId : undefined);
      const linked = { ...record, identityId, linkedBy, keptIdentityId, updatedAt: now };
      // The evidence of the placement is not the reason of another link.
      const { placed: _, evidence: __, ...byKey } = change;
      neighbourhood.changes.set(id, { ...(placed && !isAsPlaced ? byKey : change), record: linked });
    }
    if (identityId !== before?.identityId || record !== before || rerender) {
      for (const each of [identityId, before?.identityId]) if (each !== undefined) affected.add(each);
    }
    if (identityId !== undefined) remaining.add(identityId);
  }
  for (const { record, before } of neighbourhood.changes.values()) {
    const from = before?.identityId;
    const to = record.identityId;
    if (from === undefined || to === undefined || from === to) continue;
    // An erased identity must not redirect to an identity that has some of its records.
    if (!remaining.has(from) && !erase) successors.set(from, successors.get(from) ?? to);
    else if (remaining.has(from) && record.kind === 'user' && !neighbourhood.identities.has(to)) origins.set(to, from);
  }
  return { changes: neighbourhood.changes, affected, origins };
}
