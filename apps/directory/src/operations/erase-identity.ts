import { decodeId, encodeId, matchingKeys, type OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  deletePlannedOfIdentity,
  eraseFormerReferences,
  erasePersonData,
  eraseRecordErrors,
  type FormerNames,
  findEarlierIdentities,
  findEarlierValues,
  findFormerMachines,
  findFormerReferences,
  findHeldKeys,
  findManagedUsers,
  findMergedInto,
  findReferencingMachines,
  removeCandidate,
  type StoredRecord,
  saveSuppression,
} from '@idsync/database/directory';
import { eraseScimUser } from '@idsync/database/scim';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import { keyText, keyValue } from '../matching/record-keys.js';
import { idsOf } from '../shared/collections.js';
import { dropPlannedCreations } from './drop-planned-creations.js';
import { lockWhole } from './move-records.js';
import type { Handler } from './outcome.js';
import {
  type Identifying,
  identifying,
  isIdentifying,
  isNameOf,
  normalised,
  rolesByRecord,
} from './references-to-person.js';
import { findFormerTexts, removeReferences } from './remove-references.js';

/**
 * Erases a person's data: records, earlier versions, data in events and errors, references on machines, also earlier
 * ones, and on the people whose manager they were. Leaves a tombstone without personal data until the retention ends.
 * Machines of the person stay; the technical inheritor, if any, becomes the owner.
 */
export const eraseIdentity: Handler<'identity.erase'> = async (tx, cause, input) => {
  const { identity_id } = input;

  const records = await lockWhole(tx, [identity_id]);
  const lineage = [identity_id, ...(await findMergedInto(tx, identity_id))];
  const persons = records.filter(({ kind }) => kind !== 'machine_identity');
  const recordIds = idsOf(persons);
  const managed = await findManagedUsers(tx, lineage);
  const naming = rolesByRecord([
    ...(await findReferencingMachines(tx, lineage)),
    ...managed.map((recordId) => ({ recordId, role: 'manager_id' as const })),
  ]);
  const here = new Set(idsOf(records));
  const elsewhere = [...naming.keys()].filter((id) => !here.has(id));
  const earlier = await findEarlierValues(tx, recordIds);
  const earlierIds = await findEarlierIdentities(tx, lineage, recordIds);
  const person = identifying(persons, earlier, cause.rules);
  const formerNames = await findFormerNames(tx, lineage, earlierIds, person);
  const known = new Set([...here, ...elsewhere]);
  const former = new Set(
    [...(await findFormerMachines(tx, lineage)), ...formerNames.map(({ recordId }) => recordId)].filter(
      (id) => !known.has(id),
    ),
  );
  const formerTexts = await findFormerTexts(tx, formerNames, naming);
  for (const text of formerTexts) person.texts.add(normalised(text));
  await suppressPerson(tx, cause, input, persons);
  await deletePlannedOfIdentity(tx, identity_id);
  await dropPlannedCreations(tx, cause, identity_id, persons);
  await eraseRecordErrors(tx, persons);
  const references = await removeReferences(tx, cause, {
    identityId: identity_id,
    machines: records.filter(({ kind }) => kind === 'machine_identity'),
    recordIds: [...elsewhere, ...former],
    former,
    naming,
    person,
  });
  await applyChanges(tx, { ...cause, erase: true }, [
    ...persons.map((before) => ({ before, record: { ...before }, removed: true as const })),
    ...references.changes,
  ]);
  await removeCandidate(tx, identity_id, cause.now);
  const externalIds = persons.map(({ externalId }) => externalId);
  const names = unique([
    ...externalIds,
    ...persons.flatMap(({ fields }) => [...person.fields].flatMap((field) => fields[field] ?? [])),
    ...earlier.flatMap(({ field, value }) => (isIdentifying(field, person) ? value : [])),
    ...references.names,
    ...formerTexts,
  ]);
  await erasePersonData(tx, {
    identityId: identity_id,
    earlierIds,
    recordIds,
    externalIds,
    machineIds: references.machineIds,
    managedIds: references.managedIds,
    formerIds: [...former],
    publicIds: persons.map(({ id, kind }) => encodeId(kind === 'user' ? 'user' : 'account', id)),
    values: unique([
      ...names,
      ...earlier.map(({ value }) => value),
      ...persons.flatMap(({ fields }) => Object.values(fields).flat()),
    ]),
    names,
    plannedNames: names.filter((name) => !references.textsInUse.has(normalised(name))),
  });
  await eraseFormerReferences(tx, lineage, formerNames);
  // SCIM users are stored by idsync itself, so their copy must be erased too.
  for (const { connectorId, externalId } of persons) {
    const pushed = decodeId('scimResource', externalId);
    if (pushed !== undefined) await eraseScimUser(tx, { tenantId: cause.tenantId, connectorId }, pushed);
  }
  return { result: { identity_id, records_erased: persons.length } };
};

/** Each history is searched for each of these texts, and many reports name their manager by the same one. */
const unique = (texts: readonly string[]) => [...new Set(texts)];

/**
 * Finds the former references to the person. Those to an identity that the person was split from may mean either, so
 * their texts decide.
 */
async function findFormerNames(
  tx: Transaction,
  lineage: readonly string[],
  earlierIds: readonly string[],
  person: Identifying,
): Promise<FormerNames[]> {
  const found = await findFormerReferences(tx, [...new Set([...lineage, ...earlierIds])]);
  return found.flatMap((former) => {
    if (lineage.includes(former.identityId)) return former;
    const texts = former.texts.filter((text) => isNameOf(person, text));
    return texts.length > 0 ? { ...former, texts } : [];
  });
}

/**
 * Stores the hashes of the person's anchors, and of the match keys that no other person has. The gateway has computed
 * them, because the directory does not have the key. Call it before the keys are released.
 */
async function suppressPerson(
  tx: Transaction,
  { operationId, rules }: Cause,
  { identity_id: identityId, suppress = [] }: OperationInput<'identity.erase'>,
  persons: readonly StoredRecord[],
): Promise<void> {
  if (suppress.length === 0 || operationId === undefined) return;
  const keysOf = new Map(
    persons.map(({ id, fields }) => [
      id,
      matchingKeys.flatMap((kind) => {
        const value = keyValue(kind, fields[kind]?.[0], rules);
        return value === undefined ? [] : [{ kind, value }];
      }),
    ]),
  );
  const held = new Set((await findHeldKeys(tx, identityId, [...keysOf.values()].flat())).map(keyText));
  const hashes = suppress.filter(({ record_id, kind }) => {
    const keys = keysOf.get(record_id);
    return keys && (kind === 'anchor' || keys.some((key) => key.kind === kind && held.has(keyText(key))));
  });
  await saveSuppression(tx, {
    identityId,
    operationId,
    hashes: hashes.map(({ hash }) => Buffer.from(hash, 'base64')),
  });
}
