import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Event } from './generated/api.js';

export { WebhookVerificationError };

interface SignedRequest {
  /** The body as it was received, before any parsing. */
  body: string | Buffer;
  headers: Headers | IncomingHttpHeaders;
}

/** A request with what verifies it: the secret of the subscription, or its public key. */
export type WebhookRequest = SignedRequest &
  (
    | {
        /** `signing_secret` of the subscription. During a rotation, the old and the new one both verify. */
        secret: string;
      }
    | {
        /** `public_key` of the subscription (`whpk_…`), which verifies but cannot sign. */
        publicKey: string;
      }
  );

/**
 * Returns the event of a webhook request. Throws a WebhookVerificationError if the signature does not fit or the request
 * is older than five minutes; answer it with 401. Process each `id` once, and ignore types that you do not know.
 */
export function verifyWebhook({ body, headers, ...key }: WebhookRequest): Event {
  const given = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const signed = {
    'webhook-id': given('webhook-id'),
    'webhook-timestamp': given('webhook-timestamp'),
    'webhook-signature': given('webhook-signature'),
  };
  if ('secret' in key) return new Webhook(key.secret).verify(body, signed) as Event;
  verifyAsymmetric(body, signed, publicKeyOf(key.publicKey));
  return JSON.parse(body.toString()) as Event;
}

const toleranceSeconds = 300;
const prefix = 'whpk_';

/** Verifies `v1a`, which the library does not know. */
function verifyAsymmetric(
  body: string | Buffer,
  signed: Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>,
  key: KeyObject,
): void {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = signed;
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('Missing required headers');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('Message timestamp is missing, too old or too new');
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  const matches = signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    return version === 'v1a' && verify(null, content, key, Buffer.from(value, 'base64'));
  });
  if (!matches) throw new WebhookVerificationError('No matching signature found');
}

/** Throws a TypeError if the text is not a public key, so that a wrong setting is not taken for a forged request. */
function publicKeyOf(text: string): KeyObject {
  const bytes = Buffer.from(text.startsWith(prefix) ? text.slice(prefix.length) : '', 'base64');
  if (bytes.length !== 32) throw new TypeError('publicKey must be whpk_ and the base64 of 32 bytes');
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') } });
}
