import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/** Returns the key inside a signing secret (`whsec_` and base64). */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
}

/**
 * Builds the headers of Standard Webhooks 1.0, with one signature per valid key, newest first. `timestamp` is the time
 * of the attempt in Unix seconds; `body` must be exactly the bytes that are sent.
 */
export function signedHeaders(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  keys: readonly Buffer[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
