import { isDeepStrictEqual } from 'node:util';
import { newUuid } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { type FormerNames, lockRecordsById, type StoredRecord } from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { append, byId } from '../shared/collections.js';
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
interface References {
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

/**
 * Removes the references in chunks, because a manager may have any number of reports. Returns the changes of the last
 * chunk, to be applied together with the removal of the person; the machines and users that referred to the person until
 * now; the texts by which they did, and, normalised, those by which they refer to other people.
 */
export async function removeReferences(tx: Transaction, cause: Cause, references: References) {
  const { identityId, machines, recordIds, former, naming, person } = references;
  const ids = { machineIds: [] as string[], managedIds: [] as string[] };
  const texts = { names: new Set<string>(), textsInUse: new Set<string>() };
  const note = (record: StoredRecord) => {
    for (const name of [...namesOn(record, naming, person).values()].flat()) texts.names.add(name);
    for (const text of textsOfOthers(record, naming)) texts.textsInUse.add(text);
    if (former.has(record.id)) return;
    if (record.kind === 'machine_identity') ids.machineIds.push(record.id);
    if (record.kind === 'user') ids.managedIds.push(record.id);
  };
  const change = (before: StoredRecord): RecordChange[] => {
    const record = withoutPerson(before, naming, person);
    // The history of a former reference is longer than what its record contains.
    if (former.has(before.id) && isDeepStrictEqual(record, before)) return [];
    const moved = before.identityId === identityId && { identityId: newUuid(), linkedBy: cause.operationId };
    return [{ before, record: { ...record, ...moved, updatedAt: cause.now } }];
  };
  const inOrder = [...recordIds].sort();
  let records = [...machines];
  for (let from = 0; ; from += chunkSize) {
    records.push(...(await lockRecordsById(tx, inOrder.slice(from, from + chunkSize))));
    for (const record of records) note(record);
    const changes = records.flatMap(change);
    if (from + chunkSize >= inOrder.length) return { changes, ...ids, ...texts };
    await applyChanges(tx, { ...cause, erase: true }, changes);
    records = [];
  }
}

/** Returns the texts by which records called the person earlier, unless they call another person so now. */
export async function findFormerTexts(
  tx: Transaction,
  formerNames: readonly FormerNames[],
  naming: Naming,
): Promise<string[]> {
  const textsOf = new Map<string, string[]>();
  for (const { recordId, texts } of formerNames) for (const text of texts) append(textsOf, recordId, text);
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
