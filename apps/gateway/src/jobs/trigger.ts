import { decodeId, encodeId, type responses, type SyncMode } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { triggerSync } from '@idsync/database/gateway';
import { badRequest, notFound, orNotFound } from '../http/api-error.js';

export interface TriggeredJob {
  body: responses.SyncJobReference;
  replayed: boolean;
}

/** Triggers a sync job for a client or an operator. */
export async function trigger(
  database: Database,
  tenantId: string,
  connectorId: string,
  options: { idempotencyKey?: string; dryRun?: boolean; mode?: SyncMode } = {},
): Promise<TriggeredJob> {
  // Before a connection is taken.
  if (decodeId('connector', connectorId) === undefined) throw notFound();
  return database.transaction(tenantId, (tx) => triggerIn(tx, tenantId, connectorId, options));
}

export async function triggerIn(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  options: { idempotencyKey?: string; dryRun?: boolean; mode?: SyncMode } = {},
): Promise<TriggeredJob> {
  const connector = orNotFound(decodeId('connector', connectorId));
  const outcome = await triggerSync(tx, tenantId, { connectorId: connector, ...options });
  if (outcome.kind === 'unknown_connector') throw notFound();
  if (outcome.kind === 'key_of_another_connector') {
    throw badRequest('idempotency_key was already used with another connector_id');
  }
  return {
    body: { job_id: encodeId('job', outcome.jobId), status: outcome.status },
    replayed: outcome.replayed,
  };
}
