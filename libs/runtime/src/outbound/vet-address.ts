import { BlockList, isIP } from 'node:net';

/**
 * IPv4 addresses that are not on the public internet or belong to the infrastructure of a cloud (IANA's special-purpose
 * registry, multicast, and Azure's host agent, which answers at a public address).
 */
const denied4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * The only IPv6 range allocated to the public internet. It excludes all ranges that embed an IPv4 address, except those
 * below.
 */
const public6 = ['2000::/3'];

/** Excluded within it: special purposes, Teredo, documentation, 6to4 (embeds an IPv4 address) and AS112. */
const denied6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

/** Addresses that are allowed by default, in the form of network policies. */
export const publicNetworks = [
  { cidr: '0.0.0.0/0', except: denied4 },
  ...public6.map((cidr) => ({ cidr, except: denied6 })),
];

const listed4 = networkList(denied4);
const inPublic6 = networkList(public6);
const listed6 = networkList(denied6);

/**
 * Returns why an address is refused; undefined if it is allowed. `allowedCidrs` are private networks that an operator
 * trusts.
 */
export type VetAddress = (address: string) => string | undefined;

export function addressVetter(allowedCidrs: readonly string[]): VetAddress {
  const allowed = networkList(allowedCidrs);
  return (address) => {
    // Only link-local addresses have a zone, and none of them is public.
    const bare = address.split('%', 1)[0] ?? '';
    const family = isIP(bare);
    if (family === 0) return `${address} is not an IP address`;
    const isPublic =
      family === 4 ? !listed4.check(bare, 'ipv4') : inPublic6.check(bare, 'ipv6') && !listed6.check(bare, 'ipv6');
    if (isPublic || allowed.check(bare, family === 4 ? 'ipv4' : 'ipv6')) return undefined;
    return `${address} is not a public address`;
  };
}

/** Blocked ports of the Fetch standard, which prevents requests to mail servers and similar services. */
const badPorts = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

export function vetPort(port: number): string | undefined {
  return badPorts.has(port) || port === 0 ? `port ${port} is not allowed` : undefined;
}

/** Returns the IP address in a URL's host, in any notation (`0x7f.1`, `[::1]`, `127.0.0.1.`); undefined for a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? undefined : host;
}

/** Returns why a URL is refused by its port or literal address, without a DNS look-up. */
export function vetUrl(url: URL, vet: VetAddress): string | undefined {
  const address = literalAddress(url);
  return (
    (url.port === '' ? undefined : vetPort(Number(url.port))) ?? (address === undefined ? undefined : vet(address))
  );
}

/** Returns valid addresses and CIDR ranges as a list that finds an address. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of networks) {
    const [address = '', bits] = each.split('/');
    const family = isIP(address);
    list.addSubnet(address, Number(bits ?? (family === 4 ? 32 : 128)), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
