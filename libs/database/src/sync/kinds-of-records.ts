// SQL by hand: lookups by several indexes.
import type { RecordKind } from '@idsync/contracts';
import { texts } from '../arrays.js';
import type { Transaction } from '../database.js';

export interface KnownKind {
  externalId: string;
  kind: RecordKind;
  connectorId: string;
}

/**
 * Finds the records that sources of this type list under these ids, in any connector of the tenant. `offset 0` has
 * the connectors read first and each id looked up in each, whatever the planner estimates.
 */
export async function findKnownKinds(
  tx: Transaction,
  type: string,
  externalIds: readonly string[],
): Promise<KnownKind[]> {
  return tx.query<KnownKind>(
    `select r.external_id as "externalId", r.kind, r.connector_id as "connectorId"
       from (select id from connectors where tenant_id = $1 and type = $2 offset 0) c
      cross join unnest($3::text[]) as n (id)
      cross join lateral (
        select external_id, kind, connector_id, status, content_hash from source_records
         where tenant_id = $1 and connector_id = c.id and external_id = n.id limit 1) r
      where r.status not in ('deleted', 'decommissioned') or r.content_hash <> ''`,
    [tx.tenantId, type, texts(externalIds)],
  );
}
