import { BlockList, isIP } from 'node:net';

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

/** Returns whether a client's address is in the list. An IPv4 address may be written as `::ffff:192.0.2.1`. */
export function isInNetworks(list: BlockList, address: string): boolean {
  const bare = address.split('%', 1)[0] ?? '';
  const family = isIP(bare);
  return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}
