// SQL by hand: lookups by index before the first ANALYZE, and updates in bulk.
import type { JobStatus, RecordKind } from '@idsync/contracts';
import { arraysOf, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { lowestId } from '../rows.js';

/** A connector that gives or takes records. */
export interface Holder {
  id: string;
  name: string;
  records: RecordKind;
  isDeleted: boolean;
}

export async function findHolder(tx: Transaction, id: string): Promise<Holder | undefined> {
  return tx.row<Holder>(
    'select id, name, records, deleted_at is not null as "isDeleted" from connectors where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
}

/**
 * Returns the states of the connectors' jobs that have not ended. Waits for a job that is being started, and holds the
 * others where they are until the transaction ends.
 */
export async function lockUnfinishedJobs(
  tx: Transaction,
  connectorIds: readonly string[],
): Promise<{ connectorId: string; status: JobStatus }[]> {
  return tx.query(
    `select j.connector_id as "connectorId", j.status from unnest($2::uuid[]) as n (id)
      cross join lateral (
        select connector_id, status from sync_jobs
         where tenant_id = $1 and connector_id = n.id and status in ('queued', 'running', 'quarantined')
         order by id for share) j`,
    [tx.tenantId, uuids(connectorIds)],
  );
}

/** Returns ids of a connector's live records after `after`, in the order of their ids: a range of their index. */
export async function findLiveRecordIds(
  tx: Transaction,
  connectorId: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  return tx.ids(
    `select id from source_records
      where tenant_id = $1 and connector_id = $2 and status not in ('deleted', 'decommissioned') and id > $3
      order by id limit $4`,
    [tx.tenantId, connectorId, after ?? lowestId, limit],
  );
}

export function countLiveRecords(tx: Transaction, connectorId: string): Promise<number> {
  return tx.count(
    `select count(*)::int as count from source_records
      where tenant_id = $1 and connector_id = $2 and status not in ('deleted', 'decommissioned')`,
    [tx.tenantId, connectorId],
  );
}

/** Finds the live users of these identities in one connector; `offset 0` keeps the connector out of the lookup. */
export async function findUsersOfSource(
  tx: Transaction,
  connectorId: string,
  identityIds: readonly string[],
): Promise<{ id: string; externalId: string; identityId: string }[]> {
  if (identityIds.length === 0) return [];
  return tx.query(
    `select r.id, r.external_id as "externalId", r.identity_id as "identityId" from unnest($3::uuid[]) as n (id)
      cross join lateral (select * from source_records where tenant_id = $1 and identity_id = n.id offset 0) r
      where r.connector_id = $2 and r.kind = 'user' and r.status not in ('deleted', 'decommissioned')
      order by r.id`,
    [tx.tenantId, connectorId, uuids([...new Set(identityIds)])],
  );
}

/** Gives locked records another anchor. The anchors must be free. */
export async function saveAnchors(
  tx: Transaction,
  anchors: readonly { id: string; connectorId: string; externalId: string }[],
): Promise<void> {
  if (anchors.length === 0) return;
  await tx.query(
    `update source_records r set connector_id = n.connector_id, external_id = n.external_id
       from unnest($2::uuid[], $3::uuid[], $4::text[]) as n (id, connector_id, external_id)
      where r.tenant_id = $1 and r.id = n.id`,
    [tx.tenantId, ...arraysOf(anchors, { id: uuids, connectorId: uuids, externalId: texts })],
  );
}
