import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { responses } from '@idsync/contracts';
import { encrypt, type Transaction } from '@idsync/database';
import { rotateSigningKey, rotateWebhookSecret, type SigningKeyRow } from '@idsync/database/gateway';
import { orNotFound } from '../http/api-error.js';
import type { GatewaySettings } from '../shared/gateway-settings.service.js';

/** Generates a secret in the format of Standard Webhooks, and its encrypted form bound to the tenant. */
export function newSigningSecret(
  { encryptionKeys }: GatewaySettings,
  tenantId: string,
): { secret: string; encryptedSecret: Buffer } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return { secret, encryptedSecret: encrypt(secret, encryptionKeys[0], tenantId) };
}

interface Rotation {
  tenantId: string;
  webhookId: string;
  overlapHours: number;
}

/** Returns the response with the new secret. Throws a 404 if the webhook does not exist. */
export async function rotateSigningSecret(
  tx: Transaction,
  settings: GatewaySettings,
  { tenantId, webhookId, overlapHours }: Rotation,
): Promise<responses.RotatedSecret> {
  const { secret, encryptedSecret } = newSigningSecret(settings, tenantId);
  orNotFound(await rotateWebhookSecret(tx, webhookId, encryptedSecret, overlapHours));
  return { signing_secret: secret };
}

/**
 * Adds a key pair in the format of Standard Webhooks. Throws a 404 if the webhook does not exist. The private key is
 * stored with its public key, as libraries of Ed25519 do.
 */
export async function newSigningKey(
  tx: Transaction,
  { encryptionKeys }: GatewaySettings,
  { overlapHours, ...webhook }: Rotation,
): Promise<SigningKeyRow> {
  const { d: seed = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const publicBytes = Buffer.from(x, 'base64url');
  const privateBytes = Buffer.concat([Buffer.from(seed, 'base64url'), publicBytes]);
  const ciphertext = encrypt(`whsk_${privateBytes.toString('base64')}`, encryptionKeys[0], webhook.tenantId);
  const publicKey = `whpk_${publicBytes.toString('base64')}`;
  return orNotFound(await rotateSigningKey(tx, webhook, { publicKey, ciphertext }, overlapHours));
}
