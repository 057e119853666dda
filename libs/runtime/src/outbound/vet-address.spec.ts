import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressVetter, literalAddress, vetPort, vetUrl } from './vet-address.js';

const vet = addressVetter([]);

describe('a refused address', () => {
  it.each([
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['any other loopback', '127.255.255.254'],
    ['private 10/8', '10.0.0.1'],
    ['private 172.16/12, its end', '172.31.255.255'],
    ['private 192.168/16', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['the end of carrier-grade NAT', '100.127.255.255'],
    ['a cloud metadata service in carrier-grade NAT', '100.100.100.200'],
    ['link-local', '169.254.1.1'],
    ['the metadata service of most clouds', '169.254.169.254'],
    ['the metadata service of containers', '169.254.170.2'],
    ["Azure's host agent", '168.63.129.16'],
    ["Oracle's metadata service", '192.0.0.192'],
    ['IETF assignments', '192.0.0.8'],
    ['documentation 1', '192.0.2.1'],
    ['documentation 2', '198.51.100.1'],
    ['documentation 3', '203.0.113.1'],
    ['AS112', '192.175.48.1'],
    ['AMT', '192.52.193.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified IPv6', '::'],
    ['loopback IPv6', '::1'],
    ['loopback IPv6, written out', '0:0:0:0:0:0:0:1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped, in hex', '::ffff:7f00:1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of a metadata service', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::10.0.0.1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4 of a private network', '2002:c0a8:101::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ORCHID', '2001:20::1'],
    ['documentation IPv6', '2001:db8::1'],
    ['newer documentation IPv6', '3fff::1'],
    ['unique local', 'fc00::1'],
    ["AWS's metadata service by IPv6", 'fd00:ec2::254'],
    ['link-local IPv6', 'fe80::1'],
    ['link-local IPv6 with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast IPv6', 'ff02::1'],
    ['discard-only', '100::1'],
    ['segment routing', '5f00::1'],
    ['a host name', 'localhost'],
    ['nothing', ''],
  ])('is %s (%s)', (_, address) => {
    expect(vet(address)).toEqual(expect.any(String));
  });

  it('is any address outside global unicast, including embedded addresses', () => {
    const notGlobal = fc.ipV6().filter((text) => !/^[23][0-9a-f]{3}:/i.test(text));
    fc.assert(fc.property(notGlobal, (address) => vet(address) !== undefined));
  });
});

describe('an allowed address', () => {
  it.each([['8.8.8.8'], ['172.32.0.1'], ['100.128.0.1'], ['2606:4700:4700::1111'], ['2a00:1450:4001:830::200e']])(
    'is %s',
    (address) => {
      expect(vet(address)).toBeUndefined();
    },
  );

  it('can be in a trusted private network, but not next to it', () => {
    const trusting = addressVetter(['10.1.0.0/16', 'fd12::/16']);
    expect(trusting('10.1.2.3')).toBeUndefined();
    expect(trusting('fd12::5')).toBeUndefined();
    expect(trusting('10.2.0.1')).toBe('10.2.0.1 is not a public address');
    expect(trusting('fd13::5')).toEqual(expect.any(String));
  });
});

describe('a URL with a literal address', () => {
  it.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://１２７.０.０.１/', '127.0.0.1'],
    ['http://user@127.0.0.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[fe80::1]:8443/', 'fe80::1'],
    ['http://0/', '0.0.0.0'],
  ])('is checked by its address: %s', (text, address) => {
    expect(literalAddress(new URL(text))).toBe(address);
    expect(vetUrl(new URL(text), vet)).toEqual(expect.any(String));
  });

  it.each([['https://example.com/'], ['https://127.0.0.1.example.com/'], ['https://8.8.8.8:8443/']])(
    'is allowed if neither its port nor its address is refused: %s',
    (text) => {
      expect(vetUrl(new URL(text), vet)).toBeUndefined();
    },
  );

  it('is refused at every port that the Fetch standard blocks', () => {
    const { badPorts } = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js') as { badPorts: string[] };
    const refused = Array.from({ length: 65_536 }, (_, port) => port).filter((port) => vetPort(port) !== undefined);
    expect(refused).toEqual([...new Set([0, ...badPorts.map(Number)])]);
  });

  it.each([[22], [25], [53], [389], [6667], [0]])('is refused at port %d', (port) => {
    expect(vetUrl(new URL(`http://example.com:${port}/`), vet)).toBe(`port ${port} is not allowed`);
  });
});
