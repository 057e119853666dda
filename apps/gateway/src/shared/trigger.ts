import { decodeId, encodeId, type SyncMode } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { triggerSync } from '@idsync/database/gateway';
import { badRequest, notFound } from '../http/api-error.js';

export interface TriggeredJob {
  body: { job_id: string; status: string };
  replayed: boolean;
}

/** Triggers a sync job for a client or an operator. */
export async function trigger(
  database: Database,
  tenantId: string,
  connectorId: string,
  options: { idempotencyKey?: string; dryRun?: boolean; mode?: SyncMode } = {},
): Promise<TriggeredJob> {
  const connector = decodeId('connector', connectorId);
  if (connector === undefined) throw notFound();
  const outcome = await database.transaction(tenantId, (tx) =>
    triggerSync(tx, tenantId, { connectorId: connector, ...options }),
  );
  if (outcome.kind === 'unknown_connector') throw notFound();
  if (outcome.kind === 'key_of_another_connector') {
    throw badRequest('idempotency_key was already used with another connector_id');
  }
  return {
    body: { job_id: encodeId('job', outcome.jobId), status: outcome.status },
    replayed: outcome.replayed,
  };
}
