// SQL by hand: deletions by rank.
import type { Transaction } from '../database.js';

/** Limits the signatures of a request. */
const maxKeys = 5;

/**
 * Locks a webhook before it gets a new secret or key pair. Earlier ones expire after `overlapHours`, or at once with 0.
 * Keeps only the newest of them, so that there are at most five. Returns false if the webhook does not exist.
 */
export async function expireEarlierKeys(
  tx: Transaction,
  table: 'webhook_secrets' | 'webhook_signing_keys',
  { tenantId, webhookId, overlapHours }: { tenantId: string; webhookId: string; overlapHours: number },
): Promise<boolean> {
  const [webhook] = await tx.query('select id from webhooks where tenant_id = $1 and id = $2 for update', [
    tenantId,
    webhookId,
  ]);
  if (!webhook) return false;
  await tx.query(
    `update ${table} set expires_at = now() + make_interval(hours => $2)
      where webhook_id = $1 and (expires_at is null or expires_at > now() + make_interval(hours => $2))`,
    [webhookId, overlapHours],
  );
  await tx.query(
    `delete from ${table} where webhook_id = $1 and (expires_at <= now() or id not in (
       select id from ${table} where webhook_id = $1 order by id desc limit $2))`,
    [webhookId, maxKeys - 1],
  );
  return true;
}
