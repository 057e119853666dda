import { encodeId, type RecordKind } from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface ExplainedIdentity {
  document: string;
  records: {
    id: string;
    kind: RecordKind;
    connectorId: string;
    externalId: string;
    status: string;
    decided: boolean;
    linkedBy: string | null;
  }[];
  /** By public id. */
  connectorNames: Map<string, string>;
}

export async function findExplainedIdentity(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<ExplainedIdentity | undefined> {
  const [identity] = await tx.query<{ id: string; document: string }>(
    `select id, document from identities where tenant_id = $1
        and id = coalesce((select into_id from identity_redirects where tenant_id = $1 and id = $2), $2)`,
    [tenantId, id],
  );
  if (!identity) return undefined;
  const records = await tx.query<ExplainedIdentity['records'][number]>(
    `select id, kind, connector_id as "connectorId", external_id as "externalId", status, decided, linked_by as "linkedBy"
       from source_records where tenant_id = $1 and identity_id = $2 order by kind, created_at, id`,
    [tenantId, identity.id],
  );
  const connectors = await tx.query<{ id: string; name: string }>(
    'select id, name from connectors where tenant_id = $1',
    [tenantId],
  );
  const connectorNames = new Map(connectors.map((each) => [encodeId('connector', each.id), each.name]));
  return { document: identity.document, records, connectorNames };
}
