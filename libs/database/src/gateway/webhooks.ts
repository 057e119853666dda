import { newUuid } from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface WebhookRow {
  id: string;
  callbackUrl: string;
  events: string[];
  active: boolean;
  createdAt: Date;
  /** If it was switched off by failures, and nobody switched it on again; only a list tells. */
  disabledAt?: Date | null;
  disabledReason?: string | null;
}

const columns = `id, callback_url as "callbackUrl", events, active, created_at as "createdAt"`;
const liveSecrets = 5;

/** Each fact may become as many deliveries. */
export const mostWebhooks = 1_000;

/** Undefined if the tenant has as many as it may. */
export async function insertWebhook(
  tx: Transaction,
  tenantId: string,
  webhook: { callbackUrl: string; events: readonly string[]; sealedSecret: Buffer },
): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(
    `insert into webhooks (id, tenant_id, callback_url, events) select $1, $2, $3, $4
      where (select count(*) from webhooks where tenant_id = $2) < $5 returning ${columns}`,
    [newUuid(), tenantId, webhook.callbackUrl, webhook.events, mostWebhooks],
  );
  if (!row) return undefined;
  await insertSecret(tx, tenantId, row.id, webhook.sealedSecret);
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

export async function findWebhook(tx: Transaction, tenantId: string, id: string): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(`select ${columns} from webhooks where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ]);
  return row;
}

/** Who wants to change it waits to the end of the transaction. */
export async function lockWebhook(tx: Transaction, tenantId: string, id: string): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(
    `select ${columns} from webhooks where tenant_id = $1 and id = $2 for no key update`,
    [tenantId, id],
  );
  return row;
}

export async function updateWebhook(
  tx: Transaction,
  tenantId: string,
  id: string,
  changes: { callbackUrl?: string; events?: readonly string[]; active?: boolean },
): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(
    `update webhooks set callback_url = coalesce($3, callback_url), events = coalesce($4, events),
            active = coalesce($5, active), updated_at = now()
      where tenant_id = $1 and id = $2 returning ${columns}`,
    [tenantId, id, changes.callbackUrl ?? null, changes.events ?? null, changes.active ?? null],
  );
  return row;
}

/** False if there is none. */
export async function deleteWebhook(tx: Transaction, tenantId: string, id: string): Promise<boolean> {
  const rows = await tx.query('delete from webhooks where tenant_id = $1 and id = $2 returning id', [tenantId, id]);
  return rows.length > 0;
}

/**
 * Adds a secret and lets the earlier ones sign for so many hours more; of those, only the newest stay, so that there are
 * never more than five. False if there is no such webhook.
 */
export async function rotateWebhookSecret(
  tx: Transaction,
  tenantId: string,
  id: string,
  sealedSecret: Buffer,
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
    `delete from webhook_secrets where webhook_id = $1 and (expires_at < now() or id not in (
       select id from webhook_secrets where webhook_id = $1 order by id desc limit $2))`,
    [id, liveSecrets - 1],
  );
  await insertSecret(tx, tenantId, id, sealedSecret);
  return true;
}

async function insertSecret(tx: Transaction, tenantId: string, webhookId: string, sealed: Buffer): Promise<void> {
  await tx.query('insert into webhook_secrets (id, tenant_id, webhook_id, ciphertext) values ($1, $2, $3, $4)', [
    newUuid(),
    tenantId,
    webhookId,
    sealed,
  ]);
}
