import { newUuid, type ProbeKind } from '@idsync/contracts';
import { enqueue } from '../bus/outbox.js';
import type { Transaction } from '../database.js';
import { ConnectorProbeEntity } from '../entities/connector.entities.js';
import { findRow, insertRow } from '../rows.js';

export type ProbeRow = ConnectorProbeEntity;

/** Stores a probe and notifies the sync-worker, in one transaction. */
export async function requestProbe(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  kind: ProbeKind,
): Promise<ProbeRow> {
  const probe = await insertRow(tx, ConnectorProbeEntity, { id: newUuid(), tenantId, connectorId, kind });
  await enqueue(tx, { type: 'connector.probe.requested', tenantId, data: { probe_id: probe.id } });
  return probe;
}

export function findProbe(tx: Transaction, tenantId: string, id: string): Promise<ProbeRow | undefined> {
  return findRow(tx, ConnectorProbeEntity, { where: { tenantId, id } });
}
