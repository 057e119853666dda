import { installationId, parseUrl } from '@idsync/contracts';
import { decrypt, encrypt } from '@idsync/database';
import { z } from 'zod';

/** A sign-in between the redirect to the identity provider and its answer. */
const pendingSignIn = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  expiresAt: z.number(),
});
export type PendingSignIn = z.infer<typeof pendingSignIn>;

type Keys = readonly [Buffer, ...Buffer[]];

const context = `sign-in ${installationId}`;

/** Encrypts it for the browser that began it, so that any gateway can continue and nothing is stored. */
export function encodePending(pending: PendingSignIn, [key]: Keys): string {
  return encrypt(JSON.stringify(pending), key, context).toString('base64url');
}

/** Returns undefined for a value that is expired, or that no gateway has written. */
export function decodePending(text: string, keys: Keys, now: number = Date.now()): PendingSignIn | undefined {
  try {
    const pending = pendingSignIn.parse(JSON.parse(decrypt(Buffer.from(text, 'base64url'), keys, context)));
    return pending.expiresAt > now ? pending : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the path to show after the sign-in: the given one if it is on this origin, otherwise the console. */
export function returnPath(given: unknown): string {
  const standard = '/console/';
  // A browser reads "//host" and "/\host" as another host.
  const isPlain = typeof given === 'string' && given.length <= 1_000 && /^\/console\/[\w\-./~%?&=+,:@]*$/.test(given);
  return isPlain && staysInConsole(given) ? given : standard;
}

const anyOrigin = new URL('https://idsync.invalid');

/** A browser resolves "..", also as "%2e%2e", before it requests a path. */
function staysInConsole(path: string): boolean {
  return parseUrl(path, anyOrigin)?.pathname.startsWith('/console/') === true;
}
