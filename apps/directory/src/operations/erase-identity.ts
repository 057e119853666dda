import { decodeId, encodeId, matchingKeys, newUuid, type OperationInput } from '@idsync/contracts';
import {
  eraseScimUser,
  findMachinesNaming,
  forgetPerson,
  forgetRecordErrors,
  lockRecordsById,
  type MachineNaming,
  type StoredRecord,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { normaliseText } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';
import { lockWhole } from './move-records.js';
import type { Outcome } from './outcome.js';

/**
 * Removes every trace of a person: records, earlier versions, what events and errors said of them, and their names on machines. A
 * tombstone without anything personal answers for the id until the retention ends. Machines they owned stay, without an owner.
 */
export async function eraseIdentity(
  tx: Transaction,
  cause: Cause,
  { identity_id }: OperationInput<'identity.erase'>,
): Promise<Outcome> {
  const { records } = await lockWhole(tx, [identity_id]);
  const persons = records.filter(({ kind }) => kind !== 'machine_identity');
  const naming = await findMachinesNaming(tx, cause.tenantId, identity_id);
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
        ...nameless(before, naming, keys),
        ...(before.identityId === identity_id && { identityId: newUuid(), linkedBy: cause.operationId }),
        updatedAt: cause.now,
      },
    })),
  ];
  await forgetRecordErrors(tx, cause.tenantId, persons);
  await applyChanges(tx, { ...cause, erase: true }, changes);
  const said = machines.flatMap((machine) => [...namesOn(machine, naming, keys).values()].flat());
  const identifying = persons.flatMap(({ externalId, fields }) => [
    externalId,
    ...matchingKeys.flatMap((key) => fields[key] ?? []),
  ]);
  await forgetPerson(tx, cause.tenantId, {
    identityId: identity_id,
    recordIds: persons.map(({ id }) => id),
    externalIds: persons.map(({ externalId }) => externalId),
    machineIds: machines.map(({ id }) => id),
    publicIds: persons.map(({ id, kind }) => encodeId(kind === 'user' ? 'user' : 'account', id)),
    values: [...identifying, ...said, ...persons.flatMap(({ fields }) => Object.values(fields).flat())],
    names: [...identifying, ...said],
  });
  // What was pushed of them stands with us, and is no source of anybody else's.
  for (const { connectorId, externalId } of persons) {
    const pushed = decodeId('scimResource', externalId);
    if (pushed !== undefined) await eraseScimUser(tx, { tenantId: cause.tenantId, connectorId }, pushed);
  }
  return { result: { identity_id, records_erased: persons.length } };
}

/** Where a machine's record names the person: by role, or by a matching key that is theirs. */
function namesOn(
  machine: StoredRecord,
  naming: readonly MachineNaming[],
  keys: ReadonlySet<string>,
): Map<string, string[]> {
  const roles = rolesOn(machine, naming);
  const isTheirs = (field: string, values: readonly string[]) =>
    roles.has(field) ||
    ((matchingKeys as readonly string[]).includes(field) && keys.has(normaliseText(values[0]) ?? ''));
  return new Map(Object.entries(machine.fields).filter(([field, values]) => isTheirs(field, values)));
}

function rolesOn({ id }: StoredRecord, naming: readonly MachineNaming[]): Set<string> {
  return new Set(naming.filter(({ recordId }) => recordId === id).map(({ role }) => role));
}

/** The record without the person's names, now and as it was before its last job; whoever was to inherit it owns it for good. */
function nameless(record: StoredRecord, naming: readonly MachineNaming[], keys: ReadonlySet<string>): StoredRecord {
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
