// SQL by hand: lookups through redirects and by lateral joins.
import { encodeId, type LifecyclePolicy, listsEmployments } from '@idsync/contracts';
import { uuids } from '../../arrays.js';
import type { Transaction } from '../../database.js';
import type { SourceRecordEntity } from '../../entities/directory.entities.js';
import { ConnectorEntity } from '../../entities/gateway.entities.js';
import { selectList } from '../../naming-strategy.js';
import {
  type AttributePriority,
  findAttributePriorities,
  findLifecyclePolicy,
} from '../../settings/tenant-settings.js';
import { survivor } from './survivor.js';

const shown = [
  'id',
  'kind',
  'connectorId',
  'externalId',
  'identityId',
  'status',
  'decided',
  'linkedBy',
  'fields',
  'machine',
  'evidence',
  'updatedAt',
] as const;

export type ExplainedRecord = Pick<SourceRecordEntity, (typeof shown)[number]> & {
  /** False for a record that its source no longer lists. */
  isListed: boolean;
};

export interface ExplainedIdentity {
  document: string;
  records: ExplainedRecord[];
  /** By public id, deleted ones included. */
  connectors: Map<string, Pick<ConnectorEntity, 'name' | 'priority' | 'deletedAt'> & { employments: boolean }>;
  priorities: AttributePriority[];
  lifecycle: Pick<LifecyclePolicy, 'start_days_before'>;
  /** Reasons of the operations that have linked records, by id. */
  operations: Map<string, string | undefined>;
}

export async function findExplainedIdentity(tx: Transaction, id: string): Promise<ExplainedIdentity | undefined> {
  const { tenantId } = tx;
  const [identity] = await tx.query<{ id: string; document: string }>(
    `select id, document from identities where tenant_id = $1
        and id = ${survivor('select into_id from identity_redirects where tenant_id = $1 and id = $2')}`,
    [tenantId, id],
  );
  if (!identity) return undefined;
  const records = await tx.query<ExplainedRecord>(
    `select ${selectList(shown)}, octet_length(content_hash) > 0 or status not in ('deleted', 'decommissioned') as "isListed"
       from source_records where tenant_id = $1 and identity_id = $2 order by kind, created_at, id`,
    [tenantId, identity.id],
  );
  const rows = await tx.manager.find(ConnectorEntity, {
    select: { id: true, name: true, priority: true, records: true, config: true, deletedAt: true },
    where: { tenantId },
  });
  const lifecycle = await findLifecyclePolicy(tx);
  const connectors = new Map(
    rows.map(({ config, ...each }) => {
      const employments = listsEmployments({ ...each, mapped: Object.keys(config.fields ?? {}) }, lifecycle);
      return [encodeId('connector', each.id), { ...each, employments }];
    }),
  );
  return {
    document: identity.document,
    records,
    connectors,
    priorities: await findAttributePriorities(tx),
    lifecycle,
    operations: await findReasons(tx, records),
  };
}

async function findReasons(
  tx: Transaction,
  records: readonly ExplainedRecord[],
): Promise<Map<string, string | undefined>> {
  const ids = records
    .flatMap(({ linkedBy, evidence }) => [linkedBy, evidence?.operation_id])
    .filter((id) => id != null);
  const rows = await tx.query<{ id: string; reason: string | null }>(
    `select o.id, o.input ->> 'reason' as reason from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, input from operations where tenant_id = $1 and id = n.id limit 1) o`,
    [tx.tenantId, uuids([...new Set(ids)])],
  );
  return new Map(rows.map(({ id, reason }) => [id, reason ?? undefined]));
}
