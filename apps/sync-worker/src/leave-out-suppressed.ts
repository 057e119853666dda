import { type Page, SourceError } from '@idsync/connectors';
import { anchorHash, decrypt, suppressionHashes, type Transaction } from '@idsync/database';
import { addSuppressed, findSuppressed, findSuppressionKey, type SyncJob } from '@idsync/database/sync';

/**
 * Leaves out the records of erased people, and errors about them, before anything of them is stored. Fails if the key
 * of the hashes cannot be decrypted, because erased people would come back.
 */
export async function leaveOutSuppressed<Some extends Pick<Page, 'records' | 'errors'>>(
  tx: Transaction,
  { id, tenantId, connectorId }: Pick<SyncJob, 'id' | 'tenantId' | 'connectorId'>,
  page: Some,
  encryptionKeys: readonly Buffer[],
): Promise<Some> {
  const encrypted = await findSuppressionKey(tx);
  if (!encrypted) return page;
  const key = openKey(encrypted, encryptionKeys, tenantId);
  const anchorOf = (externalId: string) => anchorHash(key, connectorId, externalId).toString('hex');
  const hashesOf = new Map<Page['records'][number], string[]>();
  for (const record of page.records) {
    hashesOf.set(
      record,
      suppressionHashes(key, connectorId, record).map(({ hash }) => hash.toString('hex')),
    );
  }
  const named = page.errors.flatMap(({ external_id }) => (external_id === undefined ? [] : [anchorOf(external_id)]));
  const all = [...new Set([...[...hashesOf.values()].flat(), ...named])];
  const suppressed = await findSuppressed(
    tx,
    all.map((hash) => Buffer.from(hash, 'hex')),
  );
  if (suppressed.size === 0) return page;
  const records = page.records.filter((record) => !hashesOf.get(record)?.some((hash) => suppressed.has(hash)));
  const errors = page.errors.filter(
    ({ external_id }) => external_id === undefined || !suppressed.has(anchorOf(external_id)),
  );
  const count = page.records.length - records.length + page.errors.length - errors.length;
  await addSuppressed(tx, id, count);
  return { ...page, records, errors };
}

function openKey(encrypted: Buffer, encryptionKeys: readonly Buffer[], tenantId: string): Buffer {
  try {
    return Buffer.from(decrypt(encrypted, encryptionKeys, tenantId), 'base64');
  } catch {
    throw new SourceError(
      'no encryption key decrypts the key of the suppressions: add it to ENCRYPTION_KEYS_PREVIOUS',
      'misconfigured',
    );
  }
}
