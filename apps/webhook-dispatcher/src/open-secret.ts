import { open } from '@idsync/database';
import { keyOf } from './sign.js';

/** Opened secrets that are kept at hand: those of the endpoints that are called most. */
const kept = 10_000;

/**
 * Opens sealed signing secrets; each once, since every attempt needs its own. Undefined for one that no key opens: whoever lost
 * a key rotates the secrets, and what the new ones sign must not wait for the old.
 */
export function secretOpener(
  encryptionKeys: readonly Buffer[],
): (sealed: Buffer, tenantId: string) => Buffer | undefined {
  const opened = new Map<string, Buffer | undefined>();
  return (sealed, tenantId) => {
    const name = `${tenantId}${sealed.toString('base64')}`;
    if (opened.has(name)) return opened.get(name);
    const key = tryToOpen(sealed, encryptionKeys, tenantId);
    if (opened.size >= kept) opened.clear();
    opened.set(name, key);
    return key;
  };
}

function tryToOpen(sealed: Buffer, keys: readonly Buffer[], tenantId: string): Buffer | undefined {
  try {
    return keyOf(open(sealed, keys, tenantId));
  } catch {
    return undefined;
  }
}
