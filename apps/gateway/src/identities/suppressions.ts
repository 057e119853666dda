import { randomBytes } from 'node:crypto';
import type { OperationInput } from '@idsync/contracts';
import { decrypt, encrypt, suppressionHashes, type Transaction } from '@idsync/database';
import { ensureSuppressionKey, findPersonRecords } from '@idsync/database/gateway';
import type { EncryptionKeys } from '../housekeeping/reencrypt-secrets.js';

type Suppress = OperationInput<'identity.erase'>['suppress'];

const keyBytes = 32;

/** Computes the keyed hashes of a person who is about to be erased, with the tenant's own key. */
export async function suppressionsOf(
  tx: Transaction,
  identityId: string,
  encryptionKeys: EncryptionKeys,
): Promise<Suppress> {
  const fresh = encrypt(randomBytes(keyBytes).toString('base64'), encryptionKeys[0], tx.tenantId);
  const stored = await ensureSuppressionKey(tx, fresh);
  const key = Buffer.from(decrypt(stored, encryptionKeys, tx.tenantId), 'base64');
  const records = await findPersonRecords(tx, identityId);
  return records.flatMap(({ id, connectorId, externalId, fields }) =>
    suppressionHashes(key, connectorId, { external_id: externalId, fields }).map(({ kind, hash }) => ({
      record_id: id,
      kind,
      hash: hash.toString('base64'),
    })),
  );
}
