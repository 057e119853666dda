// SQL by hand: lookups and inserts in bulk.
import { newUuid } from '@idsync/contracts';
import { arraysOf, byteas, texts } from '../arrays.js';
import type { Transaction } from '../database.js';
import { SuppressionEntity } from '../entities/suppression.entities.js';
import type { CorrelationKey } from './correlation-keys.js';

/** Returns those of the match keys that no other identity has. Only users hold keys, so an account may have further ones. */
export async function findHeldKeys(
  tx: Transaction,
  identityId: string,
  keys: readonly CorrelationKey[],
): Promise<CorrelationKey[]> {
  return tx.query<CorrelationKey>(
    `select n.kind, n.value from unnest($3::text[], $4::text[]) as n (kind, value)
       left join lateral (select * from correlation_keys
                           where tenant_id = $1 and kind = n.kind and value = n.value limit 1) k on true
      where k.value is null or (k.identity_id = $2 and k.shared is null)`,
    [tx.tenantId, identityId, ...arraysOf(keys, { kind: texts, value: texts })],
  );
}

/** Stores the hashes by which sync-workers leave out the records of an erased person. Returns its id. */
export async function saveSuppression(
  tx: Transaction,
  { identityId, operationId, hashes }: { identityId: string; operationId: string; hashes: readonly Buffer[] },
): Promise<string> {
  const id = newUuid();
  await tx.manager.insert(SuppressionEntity, { id, tenantId: tx.tenantId, identityId, operationId });
  await tx.query(
    `insert into suppression_hashes (tenant_id, hash, suppression_id)
     select $1, hash, $2 from unnest($3::bytea[]) as n (hash) on conflict do nothing`,
    [tx.tenantId, id, byteas(hashes)],
  );
  return id;
}
