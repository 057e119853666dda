import type { requests } from '@idsync/contracts';
import { encrypt, type Transaction } from '@idsync/database';
import {
  type EncryptedHeaders,
  insertWebhook,
  lockWebhook,
  maxWebhooks,
  updateWebhook,
  type WebhookRow,
} from '@idsync/database/gateway';
import { vetUrl } from '@idsync/runtime';
import type { z } from 'zod';
import { badRequest, orNotFound } from '../http/api-error.js';
import { requireRoom } from '../quotas/require-room.js';
import type { GatewaySettings } from '../shared/gateway-settings.service.js';
import { newSigningSecret } from './signing-secret.js';

/** Changes of webhooks, by their subscriber and by operators. */

/** Throws a 400 if the address may not be called, and a 403 if the tenant may have no further webhook. */
export async function createWebhook(
  tx: Transaction,
  settings: GatewaySettings,
  tenantId: string,
  { callback_url: callbackUrl, headers, ...given }: z.infer<typeof requests.webhookBody>,
): Promise<{ webhook: WebhookRow; secret: string }> {
  refuseBlocked(settings, callbackUrl);
  const { secret, encryptedSecret } = newSigningSecret(settings, tenantId);
  await requireRoom(tx, 'webhooks');
  const webhook = await insertWebhook(tx, {
    callbackUrl,
    ...given,
    headers: encrypted(settings, tenantId, headers),
    encryptedSecret,
  });
  if (!webhook) throw badRequest(`a tenant can have at most ${maxWebhooks} webhooks`);
  return { webhook, secret };
}

interface Change {
  tenantId: string;
  webhookId: string;
  patch: z.infer<typeof requests.webhookPatch>;
  /** The key that requests the change; absent for an operator. */
  keyId?: string | undefined;
}

/** Throws a 404 if the webhook does not exist, and a 400 if the address may not be called. */
export async function changeWebhook(
  tx: Transaction,
  settings: GatewaySettings,
  { tenantId, webhookId, patch, keyId }: Change,
): Promise<{ before: WebhookRow; after: WebhookRow }> {
  const { callback_url: callbackUrl, headers, ...given } = patch;
  if (callbackUrl !== undefined) refuseBlocked(settings, callbackUrl);
  const before = orNotFound(await lockWebhook(tx, webhookId));
  if (callbackUrl !== undefined && !headers) requireHeadersAgain(before, callbackUrl);
  const changes = { callbackUrl, ...given, headers: encrypted(settings, tenantId, headers) };
  return { before, after: orNotFound(await updateWebhook(tx, webhookId, changes, keyId)) };
}

function encrypted(
  { encryptionKeys }: GatewaySettings,
  tenantId: string,
  headers?: Record<string, string>,
): EncryptedHeaders | undefined {
  if (!headers) return undefined;
  return { names: Object.keys(headers), ciphertext: encrypt(JSON.stringify(headers), encryptionKeys[0], tenantId) };
}

/** Checks the URL only. The addresses that a host name resolves to are checked at each delivery. */
function refuseBlocked({ vet }: GatewaySettings, callbackUrl: string): void {
  const reason = vetUrl(new URL(callbackUrl), vet);
  if (reason !== undefined) throw badRequest(`callback_url cannot be called: ${reason}`);
}

/** Requires headers again when another server would receive them: changing an address must not disclose stored values. */
function requireHeadersAgain({ callbackUrl, headerNames }: WebhookRow, next: string): void {
  if (headerNames.length === 0 || new URL(callbackUrl).origin === new URL(next).origin) return;
  const names = headerNames.join(', ');
  throw badRequest(`headers must be given again, because callback_url names another server: ${names}, or {} for none`);
}
