import { decodeId, encodeId, type SyncMode } from '@idsync/contracts';
import { type Database, triggerSync } from '@idsync/database';
import { badRequest, notFound } from './api-error.js';

export interface TriggeredJob {
  answer: { job_id: string; status: string };
  replayed: boolean;
}

/** Triggers a sync for whoever may: a client with its key, or the operator. */
export async function trigger(
  database: Database,
  tenantId: string,
  connectorId: string,
  how: { idempotencyKey?: string; dryRun?: boolean; mode?: SyncMode } = {},
): Promise<TriggeredJob> {
  const connector = decodeId('connector', connectorId);
  if (connector === undefined) throw notFound();
  const outcome = await database.transaction(tenantId, (tx) =>
    triggerSync(tx, tenantId, { connectorId: connector, ...how }),
  );
  if (outcome.kind === 'unknown_connector') throw notFound();
  if (outcome.kind === 'key_of_another_connector') {
    throw badRequest('idempotency_key was already used with another connector_id');
  }
  return {
    answer: { job_id: encodeId('job', outcome.jobId), status: outcome.status },
    replayed: outcome.replayed,
  };
}
