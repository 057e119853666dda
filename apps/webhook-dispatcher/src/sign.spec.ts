import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keyOf, privateKeyOf, signedHeaders } from './sign.js';

describe('signing webhooks', () => {
  it('reproduces the published example of Standard Webhooks', () => {
    const key = keyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    expect(signedHeaders(message, { shared: [key] })).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('signs with every key, in order', () => {
    const keys = [Buffer.from('new'), Buffer.from('old')];
    const message = { id: 'evt_1', timestamp: 1, body: 'é' };
    const [first, second] = keys.map((key) => signedHeaders(message, { shared: [key] })['webhook-signature']);
    expect(signedHeaders(message, { shared: keys })['webhook-signature']).toBe(`${first} ${second}`);
    expect(first).not.toBe(second);
  });

  // The first test vector of RFC 8032, section 7.1.
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
  const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
  const privateKey = `whsk_${Buffer.from(seed + publicKey, 'hex').toString('base64')}`;

  it('adds an Ed25519 signature of the same content for each key pair, after those of secrets', () => {
    const message = { id: 'evt_1', timestamp: 1, body: 'é' };
    const keys = { shared: [Buffer.from('secret')], asymmetric: [privateKeyOf(privateKey)] };
    const [shared, asymmetric = ''] = signedHeaders(message, keys)['webhook-signature'].split(' ');
    expect(shared).toBe(signedHeaders(message, { shared: keys.shared })['webhook-signature']);
    expect(asymmetric).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/);
    const key = createPublicKey(keys.asymmetric[0] as never);
    expect(verify(null, Buffer.from('evt_1.1.é'), key, Buffer.from(asymmetric.slice(4), 'base64'))).toBe(true);
    expect(verify(null, Buffer.from('evt_1.2.é'), key, Buffer.from(asymmetric.slice(4), 'base64'))).toBe(false);
  });

  it('reads a private key whose public key is that of RFC 8032', () => {
    const { x } = createPublicKey(privateKeyOf(privateKey)).export({ format: 'jwk' });
    expect(Buffer.from(x ?? '', 'base64url').toString('hex')).toBe(publicKey);
    for (const text of ['whsec_AAAA', 'whsk_', 'whsk_AAAA']) expect(() => privateKeyOf(text)).toThrow();
  });
});
