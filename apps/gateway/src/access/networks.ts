import { type BlockList, isIP } from 'node:net';

/** The network that is attributed to one client: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string | undefined): string {
  const bare = address?.split('%', 1)[0] ?? '';
  const family = isIP(bare);
  if (family === 0) return 'unknown';
  if (family === 4) return bare;
  const mapped = /^::ffff:([\d.]+)$/i.exec(bare)?.[1];
  if (mapped) return mapped;
  const [head = [], tail = []] = bare.split('::').map((half) => half.split(':').filter(Boolean));
  // An embedded IPv4 address at the end counts as two groups.
  const written = head.length + tail.length + (bare.includes('.') ? 1 : 0);
  const groups = [...head, ...Array.from({ length: 8 - written }, () => '0'), ...tail];
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

/** Returns whether a client's address is in the list. An IPv4 address may be written as `::ffff:192.0.2.1`. */
export function isInNetworks(list: BlockList, address: string): boolean {
  const bare = address.split('%', 1)[0] ?? '';
  const family = isIP(bare);
  return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}
