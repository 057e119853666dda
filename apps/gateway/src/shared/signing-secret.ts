import { randomBytes } from 'node:crypto';
import { encrypt, type Transaction } from '@idsync/database';
import { rotateWebhookSecret } from '@idsync/database/gateway';
import type { GatewaySettings } from './gateway-settings.service.js';

/** Generates a secret in the format of Standard Webhooks, and its encrypted form bound to the tenant. */
export function newSigningSecret(
  { encryptionKeys }: GatewaySettings,
  tenantId: string,
): { secret: string; encryptedSecret: Buffer } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return { secret, encryptedSecret: encrypt(secret, encryptionKeys[0], tenantId) };
}

/** Returns the response with the new secret, or undefined if the webhook does not exist. */
export async function rotateSigningSecret(
  tx: Transaction,
  settings: GatewaySettings,
  { tenantId, webhookId, overlapHours }: { tenantId: string; webhookId: string; overlapHours: number },
): Promise<object | undefined> {
  const { secret, encryptedSecret } = newSigningSecret(settings, tenantId);
  const found = await rotateWebhookSecret(tx, tenantId, webhookId, encryptedSecret, overlapHours);
  return found ? { signing_secret: secret } : undefined;
}
