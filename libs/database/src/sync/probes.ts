import type { ProbeKind, ProbeResult } from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface OpenProbe {
  id: string;
  connectorId: string;
  kind: ProbeKind;
}

/** Absent if it has ended, or is too old for anybody to wait for it. */
export async function findOpenProbe(tx: Transaction, tenantId: string, id: string): Promise<OpenProbe | undefined> {
  const [row] = await tx.query<OpenProbe>(
    `select id, connector_id as "connectorId", kind from connector_probes
      where tenant_id = $1 and id = $2 and status = 'queued' and created_at > now() - interval '10 minutes'`,
    [tenantId, id],
  );
  return row;
}

export async function endProbe(tx: Transaction, tenantId: string, id: string, result: ProbeResult): Promise<void> {
  await tx.query(
    `update connector_probes set status = $3, result = $4, ended_at = now()
      where tenant_id = $1 and id = $2 and status = 'queued'`,
    [tenantId, id, result.error === undefined ? 'done' : 'failed', JSON.stringify(result)],
  );
}

/** Deletes some probes of more than an hour ago: they hold records of people. Returns how many. */
export async function deleteOldProbes(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from connector_probes where id in (
       select id from connector_probes where created_at < now() - interval '1 hour' limit $1 for update skip locked)
     returning id`,
    [limit],
  );
  return rows.length;
}
