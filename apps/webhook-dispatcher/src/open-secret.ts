import { decrypt } from '@idsync/database';
import { keyOf } from './sign.js';

/** Size of the cache of decrypted secrets. */
const cacheSize = 10_000;

/**
 * Decrypts signing secrets and caches the result, since every attempt needs one. Returns undefined if no key decrypts
 * the secret: after the loss of a key the operator rotates the secrets, and the new ones must sign even though the old
 * ones cannot be read.
 */
export function secretDecryptor(
  encryptionKeys: readonly Buffer[],
): (encrypted: Buffer, tenantId: string) => Buffer | undefined {
  const decrypted = new Map<string, Buffer | undefined>();
  return (encrypted, tenantId) => {
    const name = `${tenantId}${encrypted.toString('base64')}`;
    if (decrypted.has(name)) return decrypted.get(name);
    const key = tryToDecrypt(encrypted, encryptionKeys, tenantId);
    if (decrypted.size >= cacheSize) decrypted.clear();
    decrypted.set(name, key);
    return key;
  };
}

function tryToDecrypt(encrypted: Buffer, keys: readonly Buffer[], tenantId: string): Buffer | undefined {
  try {
    return keyOf(decrypt(encrypted, keys, tenantId));
  } catch {
    return undefined;
  }
}
