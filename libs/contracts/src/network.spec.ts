import { describe, expect, it } from '@jest/globals';
import { network } from './network.js';

describe('a network', () => {
  it.each(['192.0.2.1', '192.0.2.0/24', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::/0'])(
    'is valid: %s',
    (text) => {
      expect(network.safeParse(text).success).toBe(true);
    },
  );

  it.each([
    '',
    '192.0.2',
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '192.0.2.0/',
    '192.0.2.0/24/1',
    '::/129',
    'fe80::1%eth0',
    'localhost',
    '192.0.2.1 ',
  ])('is refused: %j', (text) => {
    expect(network.safeParse(text).error?.issues[0]?.message).toContain('must be an IP address or a range');
  });
});
