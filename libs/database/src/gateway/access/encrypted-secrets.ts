// SQL by hand: batches of a key range, and updates in bulk.
import { byteas, uuids } from '../../arrays.js';
import type { Transaction } from '../../database.js';
import { lowestId } from '../../rows.js';

const unexpired = '(expires_at is null or expires_at > now())';

/** Tables with encrypted secrets, and their primary keys, whose last column is the id of a secret. */
const secretTables = {
  webhooks: { table: 'webhook_secrets', key: ['tenant_id', 'webhook_id', 'id'], valid: unexpired },
  'signing keys': { table: 'webhook_signing_keys', key: ['tenant_id', 'webhook_id', 'id'], valid: unexpired },
  'webhook headers': { table: 'webhook_headers', key: ['tenant_id', 'webhook_id'], valid: 'true' },
  suppressions: { table: 'suppression_keys', key: ['tenant_id'], valid: 'true' },
  audit: { table: 'audit_keys', key: ['tenant_id', 'id'], valid: 'true' },
  connectors: { table: 'connector_secrets', key: ['tenant_id', 'connector_id'], valid: 'true' },
} as const;

export type SecretsTable = keyof typeof secretTables;

export interface EncryptedSecret {
  id: string;
  tenantId: string;
  encrypted: Buffer;
}

/** A batch of encrypted secrets of all tenants, in the order of the primary key. */
export interface SecretsBatch {
  count: number;
  /** The last key, after which the next batch begins; absent if the batch is empty. */
  last?: string[];
  /** Valid secrets that are not encrypted with the current key. */
  outdated: EncryptedSecret[];
}

/** Reads two ranges of the primary key, after `after` or from its beginning. Only outdated secrets are transferred. */
export async function findOutdatedSecrets(
  tx: Transaction,
  place: SecretsTable,
  mark: Buffer,
  after: readonly string[] | undefined,
  limit: number,
): Promise<SecretsBatch> {
  const { table, key, valid } = secretTables[place];
  const columns = key.join(', ');
  const at = (array: string) => key.map((_, nth) => `(${array}::uuid[])[${nth + 1}]`).join(', ');
  const first = uuids(after ?? key.map(() => lowestId));
  const [batch] = await tx.query<{ count: number; last: string[] }>(
    `select count, array[${columns}] as last
       from (select ${columns}, row_number() over (order by ${columns}) as count from ${table}
              where (${columns}) > (${at('$1')}) order by ${columns} limit $2) as batch
      order by count desc limit 1`,
    [first, limit],
  );
  if (!batch) return { count: 0, outdated: [] };
  const outdated = await tx.query<EncryptedSecret>(
    `select ${key.at(-1)} as id, tenant_id as "tenantId", ciphertext as encrypted from ${table}
      where (${columns}) > (${at('$1')}) and (${columns}) <= (${at('$2')})
        and substring(ciphertext from 1 for $4) <> $3 and ${valid}
      order by ${columns}`,
    [first, uuids(batch.last), mark, mark.length],
  );
  return { count: batch.count, last: batch.last, outdated };
}

/** Replaces those of a tenant's secrets that have not changed in the meantime. Returns their number. */
export async function replaceSecrets(
  tx: Transaction,
  place: SecretsTable,
  tenantId: string,
  secrets: readonly (EncryptedSecret & { fresh: Buffer })[],
): Promise<number> {
  const { table, key } = secretTables[place];
  const rows = await tx.query(
    `update ${table} s set ciphertext = n.fresh
       from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as n (id, encrypted, fresh)
      where s.tenant_id = $4 and s.${key.at(-1)} = n.id and s.ciphertext = n.encrypted returning n.id`,
    [
      uuids(secrets.map(({ id }) => id)),
      byteas(secrets.map(({ encrypted }) => encrypted)),
      byteas(secrets.map(({ fresh }) => fresh)),
      tenantId,
    ],
  );
  return rows.length;
}
