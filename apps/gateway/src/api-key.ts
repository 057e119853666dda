import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeId, encodeId, idPrefixes } from '@idsync/contracts';

const form = /^iss_([0-9a-z]{26})_([A-Za-z0-9_-]{43})$/;

/** 256 random bits in base64url, and what of them is stored. */
export function newSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** `iss_<id>_<secret>`: the id finds the row, the secret proves the key. */
export function formatApiKey(id: string, secret: string): string {
  return `iss_${encodeId('apiKey', id).slice(idPrefixes.apiKey.length + 1)}_${secret}`;
}

export function parseApiKey(text: string): { id: string; secret: string } | undefined {
  const [, body = '', secret = ''] = form.exec(text) ?? [];
  const id = decodeId('apiKey', `${idPrefixes.apiKey}_${body}`);
  return id === undefined ? undefined : { id, secret };
}

/** A secret of 256 random bits needs no slow hash: there is nothing to guess. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Equal or not, in a time that does not tell where they differ. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hashSecret(a), hashSecret(b));
}
