import { newUuid } from '@idsync/contracts';
import { IsNull, MoreThan } from 'typeorm';
import type { Transaction } from '../database.js';
import { WebhookSigningKeyEntity } from '../entities/gateway.entities.js';
import { insertRow } from '../rows.js';
import { expireEarlierKeys } from './expire-earlier-keys.js';

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
export function listSigningKeys(tx: Transaction, tenantId: string, webhookId: string): Promise<SigningKeyRow[]> {
  const ofWebhook = { tenantId, webhookId };
  return tx.manager.find(WebhookSigningKeyEntity, {
    select: { id: true, publicKey: true, createdAt: true, expiresAt: true },
    where: [
      { ...ofWebhook, expiresAt: IsNull() },
      { ...ofWebhook, expiresAt: MoreThan(new Date()) },
    ],
    order: { id: 'DESC' },
  });
}
