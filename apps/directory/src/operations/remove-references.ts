import { isDeepStrictEqual } from 'node:util';
import { newUuid } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { type FormerNames, lockRecordsById, type StoredRecord } from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { byId } from '../shared/collections.js';
import {
  type Identifying,
  type Naming,
  namesOn,
  normalised,
  textsOfOthers,
  withoutPerson,
} from './references-to-person.js';

/** Records that are loaded and changed together. */
const chunkSize = 1_000;

/** References to a person in records that stay. */
export interface References {
  identityId: string;
  /** The person's machines. */
  machines: readonly StoredRecord[];
  /** Other records that refer to the person, or did so earlier. */
  recordIds: readonly string[];
  /** Those of them that did so earlier only. */
  former: ReadonlySet<string>;
  naming: Naming;
  person: Identifying;
}

export interface RemovedReferences {
  /** Changes of the last chunk, to be applied together with the removal of the person. */
  changes: RecordChange[];
  /** Machines and users that referred to the person until now. */
  machineIds: string[];
  managedIds: string[];
  /** Texts by which the records referred to the person. */
  names: Set<string>;
  /** Texts by which they refer to other people, normalised. */
  textsInUse: Set<string>;
}

/** Removes the references in chunks, because a manager may have any number of reports. */
export async function removeReferences(
  tx: Transaction,
  cause: Cause,
  references: References,
): Promise<RemovedReferences> {
  const { identityId, machines, recordIds, former, naming, person } = references;
  const removed: RemovedReferences = {
    changes: [],
    machineIds: [],
    managedIds: [],
    names: new Set(),
    textsInUse: new Set(),
  };
  const note = (record: StoredRecord) => {
    for (const name of [...namesOn(record, naming, person).values()].flat()) removed.names.add(name);
    for (const text of textsOfOthers(record, naming)) removed.textsInUse.add(text);
    if (former.has(record.id)) return;
    if (record.kind === 'machine_identity') removed.machineIds.push(record.id);
    if (record.kind === 'user') removed.managedIds.push(record.id);
  };
  const change = (before: StoredRecord): RecordChange[] => {
    const record = withoutPerson(before, naming, person);
    // The history of a former reference is longer than what its record contains.
    if (former.has(before.id) && isDeepStrictEqual(record, before)) return [];
    const moved = before.identityId === identityId && { identityId: newUuid(), linkedBy: cause.operationId };
    return [{ before, record: { ...record, ...moved, updatedAt: cause.now } }];
  };
  const ids = [...recordIds].sort();
  let records = [...machines];
  for (let from = 0; ; from += chunkSize) {
    records.push(...(await lockRecordsById(tx, ids.slice(from, from + chunkSize))));
    for (const record of records) note(record);
    removed.changes = records.flatMap(change);
    if (from + chunkSize >= ids.length) return removed;
    await applyChanges(tx, { ...cause, erase: true }, removed.changes);
    records = [];
  }
}

/** Returns the texts by which records called the person earlier, unless they call another person so now. */
export async function findFormerTexts(
  tx: Transaction,
  formerNames: readonly FormerNames[],
  naming: Naming,
): Promise<string[]> {
  const textsOf = new Map(formerNames.map(({ recordId }) => [recordId, [] as string[]]));
  for (const { recordId, texts } of formerNames) textsOf.get(recordId)?.push(...texts);
  const ids = [...textsOf.keys()].sort();
  const found = new Set<string>();
  for (let from = 0; from < ids.length; from += chunkSize) {
    const chunk = ids.slice(from, from + chunkSize);
    const records = byId(await lockRecordsById(tx, chunk));
    for (const id of chunk) {
      const record = records.get(id);
      const others = record && textsOfOthers(record, naming);
      for (const text of textsOf.get(id) ?? []) if (!others?.has(normalised(text))) found.add(text);
    }
  }
  return [...found];
}
