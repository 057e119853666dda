import { networkList } from '@idsync/runtime';
import { describe, expect, it } from '@jest/globals';
import { isInNetworks, networkOf } from './networks.js';

describe('the network of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['no address', 'unknown'],
    [undefined, 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

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
