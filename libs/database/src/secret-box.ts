import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const version = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals a secret with AES-256-GCM: version, key id, nonce, tag, ciphertext. `context` (the webhook's tenant, say) is bound
 * in, so that a row copied elsewhere does not open. The key id tells which of several keys opens it during a key rotation.
 */
export function seal(secret: string, key: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([sealMark(key), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens what `seal` made. Throws if none of the keys is the right one, or if anything was changed. */
export function open(sealed: Buffer, keys: readonly Buffer[], context: string): string {
  const id = sealed.subarray(1, 1 + keyIdBytes);
  const key = keys.find((candidate) => keyId(candidate).equals(id));
  if (sealed[0] !== version || !key) throw new Error('sealed with another key');
  const nonceEnd = 1 + keyIdBytes + nonceBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1 + keyIdBytes, nonceEnd), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(nonceEnd, nonceEnd + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceEnd + tagBytes)), decipher.final()]).toString('utf8');
}

/** What everything that was sealed with this key begins with: version and key id. */
export function sealMark(key: Buffer): Buffer {
  return Buffer.concat([Buffer.from([version]), keyId(key)]);
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('idsync key id').update(key).digest().subarray(0, keyIdBytes);
}
