// SQL by hand: an insert that finds out which networks are new, up to a bound.
import { texts } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Networks that are stored for a key. A key that moves on after that is no longer observed. */
const maxNetworks = 100;

/** Stores the networks from which a key was used, and returns those that are new. */
export async function addKeyAddresses(
  tx: Transaction,
  tenantId: string,
  keyId: string,
  networks: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ network: string }>(
    `insert into key_addresses (tenant_id, key_id, network)
     select $1, $2, network from unnest($3::text[]) as seen (network)
      where (select count(*) from key_addresses where key_id = $2) < $4
     on conflict do nothing returning network`,
    [tenantId, keyId, texts(networks), maxNetworks],
  );
  return rows.map(({ network }) => network);
}
