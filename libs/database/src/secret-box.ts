import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const version = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a secret with AES-256-GCM: version, key id, nonce, tag, ciphertext. `context`, such as the tenant, is
 * authenticated, so that a row copied to another tenant cannot be decrypted. The key id selects the key during a
 * rotation.
 */
export function encrypt(secret: string, key: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([keyPrefix(key), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Decrypts the result of `encrypt`. Throws if no key matches or the ciphertext was changed. */
export function decrypt(encrypted: Buffer, keys: readonly Buffer[], context: string): string {
  const id = encrypted.subarray(1, 1 + keyIdBytes);
  const key = keys.find((candidate) => keyId(candidate).equals(id));
  if (encrypted[0] !== version || !key) throw new Error('encrypted with another key');
  const nonceEnd = 1 + keyIdBytes + nonceBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(1 + keyIdBytes, nonceEnd), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(encrypted.subarray(nonceEnd, nonceEnd + tagBytes));
  return Buffer.concat([decipher.update(encrypted.subarray(nonceEnd + tagBytes)), decipher.final()]).toString('utf8');
}

/** Prefix of everything encrypted with this key: version and key id. */
export function keyPrefix(key: Buffer): Buffer {
  return Buffer.concat([Buffer.from([version]), keyId(key)]);
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('idsync key id').update(key).digest().subarray(0, keyIdBytes);
}
