import type { Transaction } from '@idsync/database';
import { findManagerCandidates, type ManagerReference, type ManagerScope } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { PlacedRecords } from '../matching/place-records.js';
import { managerReference } from './references.js';

/**
 * Sets the managers of changed users, as far as they are known, by the links that the records are about to have.
 * Their external ids are already stored. Later managers are found by `resolveLateManagers`.
 */
export async function resolveManagers(
  tx: Transaction,
  cause: Cause,
  { changes }: Pick<PlacedRecords, 'changes'>,
): Promise<void> {
  const here = [...changes.values()].filter(({ record, removed }) => !removed && record.kind === 'user');
  const referring = here.filter(
    ({ record, before }) => record !== before && (record.fields.manager_id || record.managerId),
  );
  if (referring.length === 0) return;
  const references = referring.flatMap(({ record }) => managerReference(record, record.fields.manager_id?.[0]) ?? []);
  const moving = here.flatMap(({ record: { id, identityId }, before }) =>
    before && identityId && identityId !== before.identityId ? [{ id, identityId }] : [],
  );
  const managers = await findManagers(tx, cause, references, moving);
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

/**
 * Returns the managers of these users, by user: the person with this external id in the same source, else with this match
 * key, else with this external id in another source. An earlier manager does not count, so that the order in which
 * records arrive decides nothing.
 */
export async function findManagers(
  tx: Transaction,
  { rules, connectors }: Cause,
  references: readonly ManagerReference[],
  moving: ManagerScope['moving'] = [],
): Promise<Map<string, string | undefined>> {
  const connectorIds = [...connectors.values()].filter(({ records }) => records === 'user').map(({ id }) => id);
  const found = await findManagerCandidates(tx, { kinds: rules.certain, connectorIds, moving }, references);
  return new Map(
    found.map(({ recordId, sameSource, keyHolder, otherSource }) => [
      recordId,
      sameSource ?? keyHolder ?? otherSource ?? undefined,
    ]),
  );
}
