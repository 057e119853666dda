// Verifies a webhook request (Standard Webhooks 1.0). No dependencies.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const toleranceSeconds = 300;

/**
 * Throws unless the request is recent and signed with the shared secret. `headers` has lower-case names; `body` is the
 * Buffer of the raw bytes, before any parsing.
 */
export function verify(secret, headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) throw new Error('a header is missing');
  if (!/^\d{1,12}$/.test(timestamp)) throw new Error('the timestamp is not a number');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new Error('the timestamp is too far off');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0) throw new Error('the secret is empty');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // There is one signature for each valid secret; one match is enough. Unknown versions are ignored.
  const matches = signatures.split(' ').some((signature) => {
    if (!signature.startsWith('v1,')) return false;
    const given = Buffer.from(signature.slice(3), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!matches) throw new Error('no signature matches');
}

// node verify.mjs <secret> <webhook-id> <webhook-timestamp> <webhook-signature> < body
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , secret, id, timestamp, signature] = process.argv;
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  try {
    verify(secret, headers, await buffer(process.stdin));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
