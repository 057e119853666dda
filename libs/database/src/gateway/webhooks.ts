// SQL by hand: an insert under a limit, a lateral join, and deletions by rank.
import { newUuid } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { WebhookEntity, WebhookSecretEntity } from '../entities/gateway.entities.js';
import { selectList } from '../naming-strategy.js';
import { findRow } from '../rows.js';

const shown = ['id', 'callbackUrl', 'events', 'active', 'createdAt'] as const;
const columns = selectList(shown);

export interface WebhookRow extends Pick<WebhookEntity, (typeof shown)[number]> {
  /** Set if failures disabled the webhook and it was not enabled again; only lists contain it. */
  disabledAt?: Date | null;
  disabledReason?: string | null;
}

const maxSecrets = 5;

/** Limits the deliveries of one event. */
export const maxWebhooks = 1_000;

/** Returns undefined if the tenant has the maximum number of webhooks. */
export async function insertWebhook(
  tx: Transaction,
  tenantId: string,
  webhook: { callbackUrl: string; events: readonly string[]; encryptedSecret: Buffer },
): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(
    `insert into webhooks (id, tenant_id, callback_url, events) select $1, $2, $3, $4
      where (select count(*) from webhooks where tenant_id = $2) < $5 returning ${columns}`,
    [newUuid(), tenantId, webhook.callbackUrl, webhook.events, maxWebhooks],
  );
  if (!row) return undefined;
  await insertSecret(tx, tenantId, row.id, webhook.encryptedSecret);
  return row;
}

export async function listWebhooks(tx: Transaction, tenantId: string): Promise<WebhookRow[]> {
  return tx.query<WebhookRow>(
    `select ${columns}, e.disabled_at as "disabledAt", e.disabled_reason as "disabledReason"
       from webhooks left join lateral (
         select disabled_at, disabled_reason from webhook_endpoints
          where tenant_id = $1 and webhook_id = webhooks.id and not webhooks.active) as e on true
      where tenant_id = $1 order by created_at, id`,
    [tenantId],
  );
}

export function findWebhook(tx: Transaction, tenantId: string, id: string): Promise<WebhookRow | undefined> {
  return findRow(tx, WebhookEntity, { where: { tenantId, id } });
}

/** Locks the webhook against changes until the end of the transaction. */
export function lockWebhook(tx: Transaction, tenantId: string, id: string): Promise<WebhookRow | undefined> {
  return findRow(tx, WebhookEntity, { where: { tenantId, id }, lock: { mode: 'for_no_key_update' } });
}

export async function updateWebhook(
  tx: Transaction,
  tenantId: string,
  id: string,
  { callbackUrl, events, active }: { callbackUrl?: string; events?: readonly string[]; active?: boolean },
): Promise<WebhookRow | undefined> {
  const changes = { callbackUrl, events: events && [...events], active, updatedAt: () => 'now()' };
  await tx.manager.update(WebhookEntity, { tenantId, id }, changes);
  return findWebhook(tx, tenantId, id);
}

/** Returns false if the webhook does not exist. */
export async function deleteWebhook(tx: Transaction, tenantId: string, id: string): Promise<boolean> {
  const { affected } = await tx.manager.delete(WebhookEntity, { tenantId, id });
  return affected === 1;
}

/**
 * Adds a secret; earlier ones stay valid for `overlapHours` more, or expire at once with 0. Only the newest of them are
 * kept, so that there are at most five. Returns false if the webhook does not exist.
 */
export async function rotateWebhookSecret(
  tx: Transaction,
  tenantId: string,
  id: string,
  encryptedSecret: Buffer,
  overlapHours: number,
): Promise<boolean> {
  const [webhook] = await tx.query('select id from webhooks where tenant_id = $1 and id = $2 for update', [
    tenantId,
    id,
  ]);
  if (!webhook) return false;
  await tx.query(
    `update webhook_secrets set expires_at = now() + make_interval(hours => $2)
      where webhook_id = $1 and (expires_at is null or expires_at > now() + make_interval(hours => $2))`,
    [id, overlapHours],
  );
  await tx.query(
    `delete from webhook_secrets where webhook_id = $1 and (expires_at <= now() or id not in (
       select id from webhook_secrets where webhook_id = $1 order by id desc limit $2))`,
    [id, maxSecrets - 1],
  );
  await insertSecret(tx, tenantId, id, encryptedSecret);
  return true;
}

async function insertSecret(tx: Transaction, tenantId: string, webhookId: string, ciphertext: Buffer): Promise<void> {
  await tx.manager.insert(WebhookSecretEntity, { id: newUuid(), tenantId, webhookId, ciphertext });
}
