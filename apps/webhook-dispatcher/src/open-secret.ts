import { open } from '@idsync/database';
import { keyOf } from './sign.js';

/** Opened secrets that are kept at hand: those of the endpoints that are called most. */
const kept = 10_000;

/** Opens sealed signing secrets; each once, since every attempt needs its own. */
export function secretOpener(encryptionKeys: readonly Buffer[]): (sealed: Buffer, tenantId: string) => Buffer {
  const opened = new Map<string, Buffer>();
  return (sealed, tenantId) => {
    const name = `${tenantId}${sealed.toString('base64')}`;
    const known = opened.get(name);
    if (known) return known;
    const key = keyOf(open(sealed, encryptionKeys, tenantId));
    if (opened.size >= kept) opened.clear();
    opened.set(name, key);
    return key;
  };
}
