import {
  decodeId,
  encodeId,
  type KeyKind,
  machineReferences,
  matchingKeys,
  newUuid,
  type OperationInput,
} from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  deletePlannedOfIdentity,
  type EarlierState,
  erasePersonData,
  eraseRecordErrors,
  findFormerMachines,
  findManagedUsers,
  findReferencingMachines,
  lockRecordsById,
  type ReferencingMachine,
  removeCandidate,
  type StoredRecord,
} from '@idsync/database/directory';
import { eraseScimUser } from '@idsync/database/scim';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { type KeyRules, keyValue, normaliseText } from '../matching/key-rules.js';
import type { RecordChange } from '../record-change.js';
import { lockWhole } from './move-records.js';
import type { Outcome } from './outcome.js';
import { suppressPerson } from './suppress-person.js';

/**
 * Erases a person's data: records, earlier versions, data in events and errors, references on machines, also earlier
 * ones, and on the people whose manager they were. Leaves a tombstone without personal data until the retention ends.
 * Machines of the person stay; the technical inheritor, if any, becomes the owner.
 */
export async function eraseIdentity(
  tx: Transaction,
  cause: Cause,
  input: OperationInput<'identity.erase'>,
): Promise<Outcome<'identity.erase'>> {
  const { identity_id } = input;
  const { records } = await lockWhole(tx, [identity_id]);
  const persons = records.filter(({ kind }) => kind !== 'machine_identity');
  const managed = await findManagedUsers(tx, cause.tenantId, identity_id);
  const naming: readonly ReferencingMachine[] = [
    ...(await findReferencingMachines(tx, cause.tenantId, identity_id)),
    ...managed.map((recordId) => ({ recordId, role: 'manager_id' as const })),
  ];
  const here = new Set(records.map(({ id }) => id));
  const elsewhere = naming.map(({ recordId }) => recordId).filter((id) => !here.has(id));
  const known = new Set([...here, ...elsewhere]);
  const former = (await findFormerMachines(tx, cause.tenantId, identity_id)).filter((id) => !known.has(id));
  const referring = [
    ...records.filter(({ kind }) => kind === 'machine_identity'),
    ...(await lockRecordsById(tx, [...new Set([...elsewhere, ...former])])),
  ];
  const person: Identifying = {
    fields: new Set([...matchingKeys, 'other_emails', ...cause.rules.certain]),
    values: new Set(),
    externalIds: new Set(persons.map(({ externalId }) => normaliseText(externalId) ?? externalId)),
    rules: cause.rules,
  };
  const identifyingValues: string[] = [];
  for (const { fields } of persons) {
    for (const field of person.fields) {
      identifyingValues.push(...(fields[field] ?? []));
      for (const notation of notationsOf(field, fields[field] ?? [], cause.rules)) person.values.add(notation);
    }
  }
  const changes: RecordChange[] = [
    ...persons.map((before) => ({ before, record: { ...before }, removed: true })),
    ...referring.map((before) => ({
      before,
      record: {
        ...withoutPerson(before, naming, person),
        ...(before.identityId === identity_id && { identityId: newUuid(), linkedBy: cause.operationId }),
        updatedAt: cause.now,
      },
    })),
  ];
  await suppressPerson(tx, cause, input, persons);
  await deletePlannedOfIdentity(tx, cause.tenantId, identity_id);
  await eraseRecordErrors(tx, cause.tenantId, persons);
  await applyChanges(tx, { ...cause, erase: true }, changes);
  await removeCandidate(tx, cause.tenantId, identity_id, cause.now);
  const names = referring.flatMap((record) => [...namesOn(record, naming, person).values()].flat());
  const identifying = [...persons.map(({ externalId }) => externalId), ...identifyingValues];
  await erasePersonData(tx, cause.tenantId, {
    identityId: identity_id,
    recordIds: persons.map(({ id }) => id),
    externalIds: persons.map(({ externalId }) => externalId),
    machineIds: referring.flatMap(({ kind, id }) => (kind === 'machine_identity' && !former.includes(id) ? id : [])),
    mentioningIds: [...referring.flatMap(({ kind, id }) => (kind === 'user' ? id : [])), ...former],
    publicIds: persons.map(({ id, kind }) => encodeId(kind === 'user' ? 'user' : 'account', id)),
    values: [...identifying, ...names, ...persons.flatMap(({ fields }) => Object.values(fields).flat())],
    names: [...identifying, ...names],
  });
  // SCIM users are stored by idsync itself, so their copy must be erased too.
  for (const { connectorId, externalId } of persons) {
    const pushed = decodeId('scimResource', externalId);
    if (pushed !== undefined) await eraseScimUser(tx, { tenantId: cause.tenantId, connectorId }, pushed);
  }
  return { result: { identity_id, records_erased: persons.length } };
}

/** Fields by which machines refer to people, and the values of one person in them. */
interface Identifying {
  fields: ReadonlySet<string>;
  /** In every notation that is equal to a value by the tenant's rules. */
  values: Set<string>;
  /** Ids of the person in their sources, which only references may have as a value. */
  externalIds: ReadonlySet<string>;
  rules: KeyRules;
}

function notationsOf(field: string, values: readonly string[], rules: KeyRules): string[] {
  const kind = (field === 'other_emails' ? 'email' : field) as KeyKind;
  return values.flatMap((value) => [normaliseText(value) ?? value, keyValue(kind, value, rules) ?? []].flat());
}

/**
 * Returns the fields that refer to the person: by role, and on a machine also by one of the person's match keys.
 */
function namesOn(
  record: StoredRecord,
  naming: readonly ReferencingMachine[],
  person: Identifying,
): Map<string, string[]> {
  const roles = rolesOn(record, naming);
  const isReference = (field: string, values: readonly string[]) =>
    roles.has(field) ||
    (record.kind === 'machine_identity' &&
      person.fields.has(field) &&
      notationsOf(field, values, person.rules).some((notation) => person.values.has(notation)));
  return new Map(Object.entries(record.fields).filter(([field, values]) => isReference(field, values)));
}

/** True if a reference in an earlier state has a value of the person; references of today are known by role. */
function mentions(field: string, values: readonly string[], person: Identifying): boolean {
  if (!(machineReferences as readonly string[]).includes(field)) return false;
  const notations = values.map((value) => normaliseText(value) ?? value);
  return notations.some((notation) => person.values.has(notation) || person.externalIds.has(notation));
}

function rolesOn({ id }: StoredRecord, naming: readonly ReferencingMachine[]): Set<string> {
  return new Set(naming.filter(({ recordId }) => recordId === id).map(({ role }) => role));
}

/**
 * Removes references to the person from a record and from its state before the last job; a technical inheritor becomes
 * the owner.
 */
function withoutPerson(record: StoredRecord, naming: readonly ReferencingMachine[], person: Identifying): StoredRecord {
  const names = namesOn(record, naming, person);
  const without = <Value>(fields: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !names.has(field)));
  const { technical_inheritor: inheritor } = without(record.fields);
  const inherits = inheritor !== undefined && rolesOn(record, naming).has('owned_by');
  const earlier = <State extends EarlierState>(state: State): State => ({
    ...state,
    fields: Object.fromEntries(
      Object.entries(without(state.fields)).filter(([field, values]) => !mentions(field, values, person)),
    ),
    changedAt: without(state.changedAt),
  });
  const { previous } = record;
  return {
    ...record,
    fields: { ...without(record.fields), ...(inherits && { owned_by: inheritor }) },
    changedAt: without(record.changedAt),
    ...(previous && {
      previous: { ...earlier(previous), ...(previous.previous && { previous: earlier(previous.previous) }) },
    }),
  };
}
