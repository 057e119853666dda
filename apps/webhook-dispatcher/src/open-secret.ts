import { decrypt } from '@idsync/database';

/** Size of the cache of decrypted secrets. */
const cacheSize = 10_000;

/**
 * Decrypts signing secrets and caches the result, since every attempt needs one. Returns undefined if no key decrypts
 * the secret: after the loss of a key the operator rotates the secrets, and the new ones must sign even though the old
 * ones cannot be read.
 */
export function secretDecryptor<Key>(
  encryptionKeys: readonly Buffer[],
  keyOf: (secret: string) => Key,
): (encrypted: Buffer, tenantId: string) => Key | undefined {
  const decrypted = new Map<string, Key | undefined>();
  return (encrypted, tenantId) => {
    const name = `${tenantId}${encrypted.toString('base64')}`;
    if (decrypted.has(name)) return decrypted.get(name);
    const key = tryTo(() => keyOf(decrypt(encrypted, encryptionKeys, tenantId)));
    if (decrypted.size >= cacheSize) decrypted.clear();
    decrypted.set(name, key);
    return key;
  };
}

function tryTo<Key>(decryptKey: () => Key): Key | undefined {
  try {
    return decryptKey();
  } catch {
    return undefined;
  }
}
