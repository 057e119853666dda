import { newUuid, type ProbeKind, type ProbeResult, type ProbeStatus } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { enqueue } from '../outbox.js';

export interface ProbeRow {
  id: string;
  connectorId: string;
  kind: ProbeKind;
  status: ProbeStatus;
  result: ProbeResult | null;
  createdAt: Date;
  endedAt: Date | null;
}

const columns = `id, connector_id as "connectorId", kind, status, result, created_at as "createdAt", ended_at as "endedAt"`;

/** Writes down what an operator wants to know and tells the sync-worker, in one transaction. */
export async function requestProbe(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  kind: ProbeKind,
): Promise<ProbeRow> {
  const id = newUuid();
  const [row] = await tx.query<ProbeRow>(
    `insert into connector_probes (id, tenant_id, connector_id, kind) values ($1, $2, $3, $4) returning ${columns}`,
    [id, tenantId, connectorId, kind],
  );
  if (!row) throw new Error('a probe was not inserted');
  await enqueue(tx, { type: 'connector.probe.requested', tenantId, data: { probe_id: id } });
  return row;
}

export async function findProbe(tx: Transaction, tenantId: string, id: string): Promise<ProbeRow | undefined> {
  const [row] = await tx.query<ProbeRow>(`select ${columns} from connector_probes where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ]);
  return row;
}
