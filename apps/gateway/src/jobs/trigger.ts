import { encodeId, type responses } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { type TriggerRequest, triggerSync } from '@idsync/database/gateway';
import { badRequest, notFound } from '../http/api-error.js';

/** Triggers a sync job for a client or an operator. */
export async function trigger(
  tx: Transaction,
  request: TriggerRequest,
): Promise<{ body: responses.SyncJobReference; replayed: boolean }> {
  const outcome = await triggerSync(tx, request);
  if (outcome.kind === 'unknown_connector') throw notFound();
  if (outcome.kind === 'key_of_another_connector') {
    throw badRequest('idempotency_key was already used with another connector_id');
  }
  return {
    body: { job_id: encodeId('job', outcome.jobId), status: outcome.status },
    replayed: outcome.replayed,
  };
}
