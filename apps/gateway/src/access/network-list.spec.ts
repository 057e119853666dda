import { describe, expect, it } from '@jest/globals';
import { isInNetworks, networkList } from './network-list.js';

describe('a list of networks', () => {
  const list = networkList(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32']);

  it.each(['192.0.2.255', '198.51.100.7', '::ffff:192.0.2.9', '2001:db8:1::1', '2001:db8::1%eth0'])(
    'contains %s',
    (address) => {
      expect(isInNetworks(list, address)).toBe(true);
    },
  );

  it.each(['192.0.3.0', '198.51.100.8', '::ffff:192.0.3.9', '2001:db9::1', 'unknown', ''])(
    'does not contain %j',
    (address) => {
      expect(isInNetworks(list, address)).toBe(false);
    },
  );
});
