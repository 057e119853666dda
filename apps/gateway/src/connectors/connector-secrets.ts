import type { ConnectorBody } from '@idsync/contracts';
import { decrypt, encrypt, type Transaction } from '@idsync/database';
import { deleteConnectorSecrets, findConnectorSecrets, saveConnectorSecrets } from '@idsync/database/gateway';
import type { EncryptionKeys } from '../housekeeping/reencrypt-secrets.js';
import { badRequest } from '../http/api-error.js';

type Secrets = Readonly<Record<string, string>>;

/** Encrypts a connector's secrets as one text, bound to the tenant. Only their names are readable in the database. */
export async function writeSecrets(
  tx: Transaction,
  connectorId: string,
  body: ConnectorBody,
  [key]: EncryptionKeys,
): Promise<string[]> {
  const secrets: Secrets = body.secrets;
  const names = Object.keys(secrets).sort();
  if (names.length === 0) await deleteConnectorSecrets(tx, connectorId);
  else {
    const encrypted = encrypt(JSON.stringify(secrets), key, tx.tenantId);
    await saveConnectorSecrets(tx, connectorId, { encrypted, names });
  }
  return names;
}

/** Decrypts a connector's secrets. Throws a 400 if no key decrypts them: all must be set again. */
export async function readSecrets(tx: Transaction, connectorId: string, keys: EncryptionKeys): Promise<Secrets> {
  const encrypted = await findConnectorSecrets(tx, connectorId);
  if (!encrypted) return {};
  try {
    return JSON.parse(decrypt(encrypted, keys, tx.tenantId)) as Secrets;
  } catch {
    throw badRequest('the secrets of this connector cannot be decrypted: set all of them again');
  }
}
