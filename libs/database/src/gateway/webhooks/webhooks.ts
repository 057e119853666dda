// SQL by hand: an insert under a limit, and a lateral join.
import { newUuid, type PayloadForm, type WebhookFilter } from '@idsync/contracts';
import { IsNull, MoreThan } from 'typeorm';
import type { Transaction } from '../../database.js';
import {
  WebhookEntity,
  WebhookHeadersEntity,
  WebhookSecretEntity,
  WebhookSigningKeyEntity,
} from '../../entities/gateway.entities.js';
import { selectList } from '../../naming-strategy.js';
import { findRow, insertRow } from '../../rows.js';

const shown = ['id', 'callbackUrl', 'events', 'active', 'createdAt', 'filter', 'payload', 'headerNames'] as const;
const columns = selectList(shown);

export interface WebhookRow extends Pick<WebhookEntity, (typeof shown)[number]> {
  /** Set if failures disabled the webhook and it was not enabled again; only lists contain it. */
  disabledAt?: Date | null;
  disabledReason?: string | null;
}

/** The part of events that a webhook receives; null removes a filter. */
export interface WebhookSettings {
  filter?: WebhookFilter | null;
  payload?: PayloadForm;
  headers?: EncryptedHeaders;
}

export interface EncryptedHeaders {
  names: string[];
  ciphertext: Buffer;
}

/** Limits the deliveries of one event. */
export const maxWebhooks = 1_000;

/** Returns undefined if the tenant has the maximum number of webhooks. */
export async function insertWebhook(
  tx: Transaction,
  webhook: WebhookSettings & { callbackUrl: string; events: readonly string[]; encryptedSecret: Buffer },
): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(
    `insert into webhooks (id, tenant_id, callback_url, events, filter, payload, header_names)
     select $1, $2, $3, $4, $6, $7, $8
      where (select count(*) from webhooks where tenant_id = $2) < $5 returning ${columns}`,
    [
      newUuid(),
      tx.tenantId,
      webhook.callbackUrl,
      webhook.events,
      maxWebhooks,
      webhook.filter ?? null,
      webhook.payload ?? 'full',
      webhook.headers?.names ?? [],
    ],
  );
  if (!row) return undefined;
  await insertSecret(tx, row.id, webhook.encryptedSecret);
  if (webhook.headers) await replaceHeaders(tx, row.id, webhook.headers);
  return row;
}

export async function listWebhooks(tx: Transaction): Promise<WebhookRow[]> {
  return tx.query<WebhookRow>(
    `select ${columns}, e.disabled_at as "disabledAt", e.disabled_reason as "disabledReason"
       from webhooks left join lateral (
         select disabled_at, disabled_reason from webhook_endpoints
          where tenant_id = $1 and webhook_id = webhooks.id and not webhooks.active) as e on true
      where tenant_id = $1 order by created_at, id`,
    [tx.tenantId],
  );
}

export function findWebhook(tx: Transaction, id: string): Promise<WebhookRow | undefined> {
  return findRow(tx, WebhookEntity, { where: { tenantId: tx.tenantId, id } });
}

/** Locks the webhook against changes until the end of the transaction. */
export function lockWebhook(tx: Transaction, id: string): Promise<WebhookRow | undefined> {
  return findRow(tx, WebhookEntity, { where: { tenantId: tx.tenantId, id }, lock: { mode: 'for_no_key_update' } });
}

export async function updateWebhook(
  tx: Transaction,
  id: string,
  given: WebhookSettings & { callbackUrl?: string; events?: readonly string[]; active?: boolean },
  keyId?: string,
): Promise<WebhookRow | undefined> {
  const found = await lockWebhook(tx, id);
  if (!found) return undefined;
  const { headers, ...rest } = given;
  const { events, active } = rest;
  if (headers) await replaceHeaders(tx, id, headers);
  const changes = { ...rest, headerNames: headers?.names, events: events && [...events], updatedAt: () => 'now()' };
  await tx.manager.update(
    WebhookEntity,
    { tenantId: tx.tenantId, id },
    { ...changes, ...deactivation(found, active, keyId) },
  );
  return findWebhook(tx, id);
}

async function replaceHeaders(
  tx: Transaction,
  webhookId: string,
  { names, ciphertext }: EncryptedHeaders,
): Promise<void> {
  await tx.manager.delete(WebhookHeadersEntity, { tenantId: tx.tenantId, webhookId });
  if (names.length > 0) await tx.manager.insert(WebhookHeadersEntity, { tenantId: tx.tenantId, webhookId, ciphertext });
}

/** Keeps who deactivated a webhook first, also if the service did. */
function deactivation(before: WebhookRow, active: boolean | undefined, keyId?: string) {
  if (active === true) return { deactivatedAt: null, deactivatedBy: null };
  if (active === undefined || !before.active) return {};
  return { deactivatedAt: () => 'now()', deactivatedBy: keyId ?? null };
}

/** Records a test by a client. Returns false if the last one was less than `intervalSeconds` ago. */
export async function markTested(tx: Transaction, id: string, intervalSeconds: number): Promise<boolean> {
  return tx.any(
    `update webhooks set tested_at = now() where tenant_id = $1 and id = $2
        and (tested_at is null or tested_at <= now() - make_interval(secs => $3)) returning id`,
    [tx.tenantId, id, intervalSeconds],
  );
}

/** Returns false if the webhook does not exist. */
export async function deleteWebhook(tx: Transaction, id: string): Promise<boolean> {
  const { affected } = await tx.manager.delete(WebhookEntity, { tenantId: tx.tenantId, id });
  return affected === 1;
}

/**
 * Adds a secret; earlier ones stay valid for `overlapHours` more, or expire at once with 0. Only the newest of them are
 * kept, so that there are at most five. Returns false if the webhook does not exist.
 */
export async function rotateWebhookSecret(
  tx: Transaction,
  id: string,
  encryptedSecret: Buffer,
  overlapHours: number,
): Promise<boolean> {
  if (!(await expireEarlierKeys(tx, 'webhook_secrets', { tenantId: tx.tenantId, webhookId: id, overlapHours })))
    return false;
  await insertSecret(tx, id, encryptedSecret);
  return true;
}

async function insertSecret(tx: Transaction, webhookId: string, ciphertext: Buffer): Promise<void> {
  await tx.manager.insert(WebhookSecretEntity, { id: newUuid(), tenantId: tx.tenantId, webhookId, ciphertext });
}

/** Limits the signatures of a request. */
const maxKeys = 5;

/**
 * Locks a webhook before it gets a new secret or key pair. Earlier ones expire after `overlapHours`, or at once with 0.
 * Keeps only the newest of them, so that there are at most five. Returns false if the webhook does not exist.
 */
async function expireEarlierKeys(
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
    `update ${table} set expires_at = now() + make_interval(hours => $3)
      where tenant_id = $1 and webhook_id = $2 and (expires_at is null or expires_at > now() + make_interval(hours => $3))`,
    [tenantId, webhookId, overlapHours],
  );
  await tx.query(
    `delete from ${table} where tenant_id = $1 and webhook_id = $2 and (expires_at <= now() or id not in (
       select id from ${table} where tenant_id = $1 and webhook_id = $2 order by id desc limit $3))`,
    [tenantId, webhookId, maxKeys - 1],
  );
  return true;
}

export type SigningKeyRow = Pick<WebhookSigningKeyEntity, 'publicKey' | 'createdAt' | 'expiresAt'>;

/**
 * Adds a key pair; earlier ones stay valid for `overlapHours` more. Returns undefined if the webhook does not exist.
 */
export async function rotateSigningKey(
  tx: Transaction,
  webhook: { tenantId: string; webhookId: string },
  { publicKey, ciphertext }: { publicKey: string; ciphertext: Buffer },
  overlapHours: number,
): Promise<SigningKeyRow | undefined> {
  if (!(await expireEarlierKeys(tx, 'webhook_signing_keys', { ...webhook, overlapHours }))) return undefined;
  return insertRow(tx, WebhookSigningKeyEntity, { ...webhook, id: newUuid(), publicKey, ciphertext });
}

/** Lists the valid key pairs of a webhook, the newest first. */
export function listSigningKeys(tx: Transaction, webhookId: string): Promise<SigningKeyRow[]> {
  const ofWebhook = { tenantId: tx.tenantId, webhookId };
  return tx.manager.find(WebhookSigningKeyEntity, {
    select: { id: true, publicKey: true, createdAt: true, expiresAt: true },
    where: [
      { ...ofWebhook, expiresAt: IsNull() },
      { ...ofWebhook, expiresAt: MoreThan(new Date()) },
    ],
    order: { id: 'DESC' },
  });
}
