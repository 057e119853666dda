import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeId, encodeId, idPrefixes } from '@idsync/contracts';

const form = /^(iss|ipl)_([0-9a-z]{26})_([A-Za-z0-9_-]{43})$/;
const prefixes = { apiKey: 'iss', portalLink: 'ipl' } as const;

/** Keys of clients and connectors, and keys of links to the subscriber portal. */
export type KeyKind = keyof typeof prefixes;

/** Generates 256 random bits in base64url, and the hash to store. */
export function newSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** Formats `iss_<id>_<secret>`: the id identifies the row, the secret authenticates the key. */
export function formatApiKey(id: string, secret: string, kind: KeyKind = 'apiKey'): string {
  return `${prefixes[kind]}_${encodeId(kind, id).slice(idPrefixes[kind].length + 1)}_${secret}`;
}

export function parseApiKey(text: string): { kind: KeyKind; id: string; secret: string } | undefined {
  const [, prefix, body = '', secret = ''] = form.exec(text) ?? [];
  const kind = prefix === prefixes.portalLink ? 'portalLink' : 'apiKey';
  const id = decodeId(kind, `${idPrefixes[kind]}_${body}`);
  return id === undefined ? undefined : { kind, id, secret };
}

/** Hashes a secret. A fast hash is sufficient, because 256 random bits cannot be guessed. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares two texts in constant time. */
export function constantTimeEqual(a: string, b: string): boolean {
  return timingSafeEqual(hashSecret(a), hashSecret(b));
}
