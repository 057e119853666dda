import type { ProbeResult } from '@idsync/contracts';
import { Raw } from 'typeorm';
import { deleteFound } from '../by-tenant.js';
import type { Database, Transaction } from '../database.js';
import { ConnectorProbeEntity } from '../entities/connector.entities.js';
import { findRow } from '../rows.js';

/** Returns undefined if the probe has ended or is too old to be waited for. */
export function findOpenProbe(tx: Transaction, id: string): Promise<ConnectorProbeEntity | undefined> {
  const createdAt = Raw((column) => `${column} > now() - interval '10 minutes'`);
  return findRow(tx, ConnectorProbeEntity, { where: { tenantId: tx.tenantId, id, status: 'queued', createdAt } });
}

export async function endProbe(tx: Transaction, id: string, result: ProbeResult): Promise<void> {
  const status = result.error === undefined ? 'done' : 'failed';
  const ended = { status, result, endedAt: () => 'now()' } as const;
  await tx.manager.update(ConnectorProbeEntity, { tenantId: tx.tenantId, id, status: 'queued' }, ended);
}

/**
 * Deletes up to `limit` probes that are older than an hour, because they contain personal data. Returns their number.
 */
export function deleteOldProbes(database: Database, limit: number): Promise<number> {
  return deleteFound(database, 'connector_probes', `where created_at < now() - interval '1 hour' limit $1`, [limit]);
}
