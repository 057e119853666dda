// SQL by hand: a lookup through redirects.
import { encodeId } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import type { SourceRecordEntity } from '../entities/directory.entities.js';
import { ConnectorEntity } from '../entities/gateway.entities.js';
import { selectList } from '../naming-strategy.js';
import { survivor } from './survivor.js';

const shown = ['id', 'kind', 'connectorId', 'externalId', 'status', 'decided', 'linkedBy'] as const;

export interface ExplainedIdentity {
  document: string;
  records: Pick<SourceRecordEntity, (typeof shown)[number]>[];
  /** Connector names by public id. */
  connectorNames: Map<string, string>;
}

export async function findExplainedIdentity(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<ExplainedIdentity | undefined> {
  const [identity] = await tx.query<{ id: string; document: string }>(
    `select id, document from identities where tenant_id = $1
        and id = ${survivor('select into_id from identity_redirects where tenant_id = $1 and id = $2')}`,
    [tenantId, id],
  );
  if (!identity) return undefined;
  const records = await tx.query<ExplainedIdentity['records'][number]>(
    `select ${selectList(shown)} from source_records where tenant_id = $1 and identity_id = $2 order by kind, created_at, id`,
    [tenantId, identity.id],
  );
  const connectors = await tx.manager.find(ConnectorEntity, { select: { id: true, name: true }, where: { tenantId } });
  const connectorNames = new Map(connectors.map((each) => [encodeId('connector', each.id), each.name]));
  return { document: identity.document, records, connectorNames };
}
