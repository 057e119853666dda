import { decodeId, encodeId, matchingKeys, newUuid, type OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  erasePersonData,
  eraseRecordErrors,
  findReferencingMachines,
  lockRecordsById,
  type ReferencingMachine,
  type StoredRecord,
} from '@idsync/database/directory';
import { eraseScimUser } from '@idsync/database/scim';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { normaliseText } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';
import { lockWhole } from './move-records.js';
import type { Outcome } from './outcome.js';

/**
 * Erases a person's data: records, earlier versions, data in events and errors, and references on machines. Leaves a
 * tombstone without personal data until the retention ends. Machines of the person stay; the technical inheritor, if
 * any, becomes the owner.
 */
export async function eraseIdentity(
  tx: Transaction,
  cause: Cause,
  { identity_id }: OperationInput<'identity.erase'>,
): Promise<Outcome<'identity.erase'>> {
  const { records } = await lockWhole(tx, [identity_id]);
  const persons = records.filter(({ kind }) => kind !== 'machine_identity');
  const naming = await findReferencingMachines(tx, cause.tenantId, identity_id);
  const here = new Set(records.map(({ id }) => id));
  const elsewhere = naming.map(({ recordId }) => recordId).filter((id) => !here.has(id));
  const machines = [
    ...records.filter(({ kind }) => kind === 'machine_identity'),
    ...(await lockRecordsById(tx, [...new Set(elsewhere)])),
  ];
  const keys = new Set(
    persons.flatMap(({ fields }) => matchingKeys.flatMap((key) => normaliseText(fields[key]?.[0]) ?? [])),
  );
  const changes: RecordChange[] = [
    ...persons.map((before) => ({ before, record: { ...before }, removed: true })),
    ...machines.map((before) => ({
      before,
      record: {
        ...withoutPerson(before, naming, keys),
        ...(before.identityId === identity_id && { identityId: newUuid(), linkedBy: cause.operationId }),
        updatedAt: cause.now,
      },
    })),
  ];
  await eraseRecordErrors(tx, cause.tenantId, persons);
  await applyChanges(tx, { ...cause, erase: true }, changes);
  const names = machines.flatMap((machine) => [...namesOn(machine, naming, keys).values()].flat());
  const identifying = persons.flatMap(({ externalId, fields }) => [
    externalId,
    ...matchingKeys.flatMap((key) => fields[key] ?? []),
  ]);
  await erasePersonData(tx, cause.tenantId, {
    identityId: identity_id,
    recordIds: persons.map(({ id }) => id),
    externalIds: persons.map(({ externalId }) => externalId),
    machineIds: machines.map(({ id }) => id),
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

/** Returns the fields of a machine that refer to the person, by role or by one of the person's match keys. */
function namesOn(
  machine: StoredRecord,
  naming: readonly ReferencingMachine[],
  keys: ReadonlySet<string>,
): Map<string, string[]> {
  const roles = rolesOn(machine, naming);
  const isReference = (field: string, values: readonly string[]) =>
    roles.has(field) ||
    ((matchingKeys as readonly string[]).includes(field) && keys.has(normaliseText(values[0]) ?? ''));
  return new Map(Object.entries(machine.fields).filter(([field, values]) => isReference(field, values)));
}

function rolesOn({ id }: StoredRecord, naming: readonly ReferencingMachine[]): Set<string> {
  return new Set(naming.filter(({ recordId }) => recordId === id).map(({ role }) => role));
}

/**
 * Removes references to the person from a record and from its state before the last job; a technical inheritor becomes
 * the owner.
 */
function withoutPerson(
  record: StoredRecord,
  naming: readonly ReferencingMachine[],
  keys: ReadonlySet<string>,
): StoredRecord {
  const names = namesOn(record, naming, keys);
  const without = <Value>(fields: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !names.has(field)));
  const { technical_inheritor: inheritor } = without(record.fields);
  const inherits = inheritor !== undefined && rolesOn(record, naming).has('owned_by');
  const { previous } = record;
  return {
    ...record,
    fields: { ...without(record.fields), ...(inherits && { owned_by: inheritor }) },
    changedAt: without(record.changedAt),
    ...(previous && {
      previous: { ...previous, fields: without(previous.fields), changedAt: without(previous.changedAt) },
    }),
  };
}
