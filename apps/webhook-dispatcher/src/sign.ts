import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';

const prefix = 'whsec_';
const privatePrefix = 'whsk_';
const seedBytes = 32;

/** Returns the key inside a signing secret (`whsec_` and base64). */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
}

/** Returns the private key inside `whsk_` and the base64 of seed and public key. Throws if it is none. */
export function privateKeyOf(text: string): KeyObject {
  if (!text.startsWith(privatePrefix)) throw new Error('not a private key');
  const bytes = Buffer.from(text.slice(privatePrefix.length), 'base64');
  const [d, x] = [bytes.subarray(0, seedBytes), bytes.subarray(seedBytes)].map((part) => part.toString('base64url'));
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } });
}

export interface SigningKeys {
  /** Keys of `v1`, HMAC-SHA256. */
  shared: readonly Buffer[];
  /** Keys of `v1a`, Ed25519. */
  asymmetric?: readonly KeyObject[];
}

/**
 * Builds the headers of Standard Webhooks 1.0, with one signature per valid key, newest first; asymmetric ones last,
 * because every verifier knows `v1`. `timestamp` is the time of the attempt in Unix seconds; `body` must be exactly the
 * bytes that are sent.
 */
export function signedHeaders(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  { shared, asymmetric = [] }: SigningKeys,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = [
    ...shared.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`),
    ...asymmetric.map((key) => `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`),
  ];
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
