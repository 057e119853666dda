import type { Membership, RecordKind, SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { groupIdOf, groupIdsField, resolveGroups } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import { sameValues } from '../shared/collections.js';

export interface ResolvedMemberships {
  /** Returns the record with the ids of its groups, if they are not those that the names give. */
  withIds: (record: SourceRecord) => SourceRecord;
  pending: Cause['groups'];
}

/** Finds the groups that records list by their keys. Writes nothing: a new group is stored with its first member. */
export async function resolveMemberships(
  tx: Transaction,
  { jobId, connectorId, kind }: { jobId: string; connectorId: string; kind: RecordKind },
  records: readonly SourceRecord[],
): Promise<ResolvedMemberships> {
  const listed = new Map<string, Set<string>>();
  for (const { memberships = [] } of kind === 'user' ? records : []) {
    for (const { id, name } of memberships) listed.set(id, (listed.get(id) ?? new Set()).add(name));
  }
  if (listed.size === 0) return { withIds: (record) => record, pending: undefined };
  const found = await resolveGroups(tx, { jobId, connectorId }, listed);
  const idOf = ({ id, name }: Membership) => found.get(id)?.id ?? groupIdOf(connectorId, name);
  const pending = [...found.values()].filter(({ isNew, formerName }) => isNew || formerName !== undefined);
  return {
    withIds(record) {
      const { memberships, fields } = record;
      if (!memberships) return record;
      const ids = [...new Set(memberships.map(idOf))];
      const byName = [...new Set(fields.groups)].map((name) => groupIdOf(connectorId, name));
      return sameValues(ids, byName) ? record : { ...record, fields: { ...fields, [groupIdsField]: ids } };
    },
    pending: pending.length > 0 ? { jobId, connectorId, listed: pending } : undefined,
  };
}
