import { hasLeft as isLeaver } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  findManagerCandidates,
  type ManagerReference,
  type ManagerScope,
  type StoredRecord,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { deriveIdentityStatus } from '../lifecycle/derive-status.js';
import type { PlacedRecords } from '../matching/place-records.js';
import { append } from '../shared/collections.js';
import { managerReference } from './references.js';

/**
 * Sets the managers of changed users, as far as they are known, by the links and statuses that the records are about to
 * have. Their external ids are already stored. Later managers are found by `resolveLateManagers`.
 */
export async function resolveManagers(
  tx: Transaction,
  cause: Cause,
  { changes, stored }: Pick<PlacedRecords, 'changes' | 'stored'>,
): Promise<void> {
  const all = [...changes.values()].filter(({ removed }) => !removed);
  const here = all.filter(({ record }) => record.kind === 'user');
  const referring = here.filter(
    ({ record, before }) => record !== before && (record.fields.manager_id || record.managerId),
  );
  if (referring.length === 0) return;
  const references = referring.flatMap(({ record, before }) => {
    const [text] = record.fields.manager_id ?? [];
    const heldId = text === before?.fields.manager_id?.[0] ? before?.managerId : undefined;
    return managerReference(record, text, heldId) ?? [];
  });
  const moving = here.flatMap(({ record: { id, identityId }, before }) =>
    before && identityId && identityId !== before.identityId ? [{ id, identityId }] : [],
  );
  const managers = await findManagers(tx, cause, references, { moving, hasLeft: leavers(cause, all, stored) });
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

/** Changes that are not stored yet. */
interface Unstored extends Pick<ManagerScope, 'moving'> {
  /** Whether the person of this identity has left; undefined if the stored status counts. */
  hasLeft?: (identityId: string) => boolean | undefined;
}

/**
 * Returns the managers of these users, by user: the person with this external id in the same source, else with this match
 * key, else with this external id in another source, else the leaver who has been the manager so far.
 */
export async function findManagers(
  tx: Transaction,
  { tenantId, rules, connectors }: Cause,
  references: readonly ManagerReference[],
  { moving, hasLeft = () => undefined }: Unstored = {},
): Promise<Map<string, string | undefined>> {
  const connectorIds = [...connectors.values()].filter(({ records }) => records === 'user').map(({ id }) => id);
  const found = await findManagerCandidates(tx, tenantId, { kinds: rules.certain, connectorIds, moving }, references);
  const heldIds = new Map(references.map(({ recordId, heldId }) => [recordId, heldId]));
  return new Map(
    found.map(({ recordId, sameSource, keyHolder, otherSource, leaver: stored }) => {
      const heldId = heldIds.get(recordId);
      const left = heldId === undefined ? undefined : hasLeft(heldId);
      const leaver = left === undefined ? stored : left ? heldId : undefined;
      return [recordId, sameSource ?? keyHolder ?? otherSource ?? leaver ?? undefined];
    }),
  );
}

/** Finds out who has left by changes that are not stored yet. */
function leavers(
  cause: Cause,
  changes: readonly RecordChange[],
  stored: PlacedRecords['stored'],
): (identityId: string) => boolean | undefined {
  const records = new Map<string, StoredRecord[]>();
  for (const { record } of changes) if (record.identityId) append(records, record.identityId, record);
  return (identityId) => {
    const own = records.get(identityId);
    return own && isLeaver({ status: deriveIdentityStatus(own, cause, stored.get(identityId)) });
  };
}
