import { describe, expect, it } from '@jest/globals';
import { keyOf, signedHeaders } from './sign.js';

describe('signing webhooks', () => {
  it('reproduces the published example of Standard Webhooks', () => {
    const key = keyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    expect(signedHeaders(message, [key])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('signs with every key, in order', () => {
    const keys = [Buffer.from('new'), Buffer.from('old')];
    const message = { id: 'evt_1', timestamp: 1, body: 'é' };
    const [first, second] = keys.map((key) => signedHeaders(message, [key])['webhook-signature']);
    expect(signedHeaders(message, keys)['webhook-signature']).toBe(`${first} ${second}`);
    expect(first).not.toBe(second);
  });
});
