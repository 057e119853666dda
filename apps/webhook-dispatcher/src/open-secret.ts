import { decrypt } from '@idsync/database';

/** Size of the cache of decrypted secrets. */
const cacheSize = 10_000;

/** Returns what a secret contains; undefined if no configured encryption key decrypts it. */
export type OpenSecret = <Value>(
  encrypted: Buffer,
  tenantId: string,
  parse: (secret: string) => Value,
) => Value | undefined;

/**
 * Decrypts secrets of webhooks and caches the result, since every attempt needs one. After the loss of a key the operator
 * rotates the secrets, and the new ones must sign even though the old ones cannot be read.
 */
export function secretOpener(encryptionKeys: readonly Buffer[]): OpenSecret {
  const opened = new Map<string, unknown>();
  return <Value>(encrypted: Buffer, tenantId: string, parse: (secret: string) => Value) => {
    const name = `${tenantId}${encrypted.toString('base64')}`;
    if (opened.has(name)) return opened.get(name) as Value | undefined;
    let value: Value | undefined;
    try {
      value = parse(decrypt(encrypted, encryptionKeys, tenantId));
    } catch {}
    if (opened.size >= cacheSize) opened.clear();
    opened.set(name, value);
    return value;
  };
}
