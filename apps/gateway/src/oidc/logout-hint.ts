import { installationId } from '@idsync/contracts';
import { decrypt, encrypt } from '@idsync/database';

type Keys = readonly [Buffer, ...Buffer[]];

const context = `id token ${installationId}`;
/** Browsers accept cookies of 4096 bytes with name and attributes. */
const maxLength = 3_800;

/**
 * Encrypts an ID token for the browser that signed in, so that it is not stored. Undefined if a cookie cannot hold it:
 * the provider is then asked to end its session without it.
 */
export function encodeHint(idToken: string, [key]: Keys): string | undefined {
  const text = encrypt(idToken, key, context).toString('base64url');
  return text.length <= maxLength ? text : undefined;
}

/** Returns undefined for a value that no gateway has written. */
export function decodeHint(text: string | undefined, keys: Keys): string | undefined {
  try {
    return text === undefined ? undefined : decrypt(Buffer.from(text, 'base64url'), keys, context);
  } catch {
    return undefined;
  }
}
