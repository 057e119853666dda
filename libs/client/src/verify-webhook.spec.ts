import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.js';

const key = Buffer.from('a secret of twenty-four b');
const secret = `whsec_${key.toString('base64')}`;
const body = JSON.stringify({ id: 'evt_1', type: 'user.updated', sequence: 7, data: { email: 'ann@example.com' } });

function headersOf(text: string, { at = Date.now(), by = key } = {}): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signature = createHmac('sha256', by).update(`evt_1.${timestamp}.${text}`).digest('base64');
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

describe('the verification of a webhook', () => {
  it('returns the event of a signed request, with headers of Node or of fetch', () => {
    const headers = headersOf(body);
    for (const given of [headers, new Headers(headers)]) {
      const event = verifyWebhook({ body: Buffer.from(body), headers: given, secret });
      expect(event.type === 'user.updated' && event.data.email).toBe('ann@example.com');
    }
  });

  it('accepts one of several signatures, as during a rotation', () => {
    const headers = headersOf(body);
    const old = headersOf(body, { by: Buffer.from('another') })['webhook-signature'];
    const both = { ...headers, 'webhook-signature': `${old} ${headers['webhook-signature']}` };
    expect(verifyWebhook({ body, headers: both, secret }).id).toBe('evt_1');
  });

  it.each([
    ['a changed body', { body: body.replace('ann', 'eve'), headers: headersOf(body) }],
    ['another secret', { body, headers: headersOf(body, { by: Buffer.from('another') }) }],
    ['an old timestamp', { body, headers: headersOf(body, { at: Date.now() - 10 * 60_000 }) }],
    ['no signature', { body, headers: {} }],
  ])('refuses %s', (_case, request) => {
    expect(() => verifyWebhook({ ...request, secret })).toThrow(WebhookVerificationError);
  });
});

describe('the verification of a webhook with a public key', () => {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = `whpk_${Buffer.from(String(pair.publicKey.export({ format: 'jwk' }).x), 'base64url').toString('base64')}`;

  function signed(text: string, { at = Date.now(), by = pair.privateKey }: { at?: number; by?: KeyObject } = {}) {
    const headers = headersOf(text, { at });
    const content = Buffer.from(`evt_1.${headers['webhook-timestamp']}.${text}`);
    const signature = `v1a,${sign(null, content, by).toString('base64')}`;
    return { ...headers, 'webhook-signature': `${headers['webhook-signature']} ${signature}` };
  }

  it('returns the event, and the secret verifies the same request', () => {
    const headers = signed(body);
    for (const given of [headers, new Headers(headers)]) {
      expect(verifyWebhook({ body: Buffer.from(body), headers: given, publicKey }).id).toBe('evt_1');
    }
    expect(verifyWebhook({ body, headers, secret }).id).toBe('evt_1');
  });

  it('accepts one of several signatures, as during a rotation', () => {
    const headers = signed(body);
    const another = signed(body, { by: generateKeyPairSync('ed25519').privateKey })['webhook-signature'].split(' ')[1];
    const both = { ...headers, 'webhook-signature': `${another} ${headers['webhook-signature']}` };
    expect(verifyWebhook({ body, headers: both, publicKey }).id).toBe('evt_1');
  });

  it.each([
    ['a changed body', { body: body.replace('ann', 'eve'), headers: signed(body) }],
    ['another key', { body, headers: signed(body, { by: generateKeyPairSync('ed25519').privateKey }) }],
    ['an old timestamp', { body, headers: signed(body, { at: Date.now() - 10 * 60_000 }) }],
    ['a timestamp that is no number', { body, headers: { ...signed(body), 'webhook-timestamp': 'now' } }],
    ['only a signature with the secret', { body, headers: headersOf(body) }],
    [
      'a signature of another version',
      { body, headers: { ...signed(body), 'webhook-signature': 'v1a, v1ab,AAAA v1a' } },
    ],
    ['no signature', { body, headers: {} }],
  ])('refuses %s', (_case, request) => {
    expect(() => verifyWebhook({ ...request, publicKey })).toThrow(WebhookVerificationError);
  });

  it('throws a TypeError for a text that is not a public key', () => {
    for (const text of ['', 'whpk_', 'whpk_AAAA', secret]) {
      expect(() => verifyWebhook({ body, headers: signed(body), publicKey: text })).toThrow(TypeError);
    }
  });
});
