import type { Transaction } from '@idsync/database';
import { findManagerCandidates, type ManagerReference } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import { chosenManager, managerReference } from './manager-reference.js';

/** Sets the managers of changed users, as far as they are known. Later managers are found by `resolveLateManagers`. */
export async function resolveManagers(tx: Transaction, cause: Cause, changes: Iterable<RecordChange>): Promise<void> {
  const here = [...changes].filter(({ record, removed }) => record.kind === 'user' && !removed);
  const referring = here.filter(
    ({ record, before }) => record !== before && (record.fields.manager_id || record.managerId),
  );
  if (referring.length === 0) return;
  const references = referring.flatMap(({ record, before }) => {
    const [text] = record.fields.manager_id ?? [];
    const heldId = text === before?.fields.manager_id?.[0] ? before?.managerId : undefined;
    return managerReference(record, text, heldId) ?? [];
  });
  const managers = await findManagers(tx, cause, references);
  // Users of this batch are not in the database yet.
  const anchor = (connectorId: string, externalId: string) => `${connectorId} ${externalId}`;
  const pending = new Map(
    here.map(({ record }) => [anchor(record.connectorId, record.externalId), record.identityId] as const),
  );
  const named = new Map(references.map((each) => [each.recordId, pending.get(anchor(each.connectorId, each.text))]));
  for (const change of referring) {
    const { id } = change.record;
    change.record = { ...change.record, managerId: named.get(id) ?? managers.get(id) };
  }
}

/** Returns the managers of these users, by user. */
export async function findManagers(
  tx: Transaction,
  { tenantId, rules, connectors }: Cause,
  references: readonly ManagerReference[],
): Promise<Map<string, string | undefined>> {
  const connectorIds = [...connectors.values()].filter(({ records }) => records === 'user').map(({ id }) => id);
  const found = await findManagerCandidates(tx, tenantId, { kinds: rules.certain, connectorIds }, references);
  return new Map(found.map((candidates) => [candidates.recordId, chosenManager(candidates)]));
}
