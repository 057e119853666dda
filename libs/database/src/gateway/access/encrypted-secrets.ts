// SQL by hand: batches of a key range, and updates in bulk.
import { byteas, uuids } from '../../arrays.js';
import type { Transaction } from '../../database.js';

/** Tables with encrypted secrets, and their id columns. */
const secretTables = {
  webhooks: { table: 'webhook_secrets', id: 'id', valid: '(expires_at is null or expires_at > now())' },
  'signing keys': { table: 'webhook_signing_keys', id: 'id', valid: '(expires_at is null or expires_at > now())' },
  'webhook headers': { table: 'webhook_headers', id: 'webhook_id', valid: 'true' },
  suppressions: { table: 'suppression_keys', id: 'tenant_id', valid: 'true' },
  audit: { table: 'audit_keys', id: 'id', valid: 'true' },
  connectors: { table: 'connector_secrets', id: 'connector_id', valid: 'true' },
} as const;

export type SecretsTable = keyof typeof secretTables;

export interface EncryptedSecret {
  id: string;
  tenantId: string;
  encrypted: Buffer;
}

/** A batch of encrypted secrets of all tenants, in the order of their ids. */
export interface SecretsBatch {
  count: number;
  /** The last id, after which the next batch begins; absent if the batch is empty. */
  last?: string;
  /** Valid secrets that are not encrypted with the current key. */
  outdated: EncryptedSecret[];
}

/** Reads two ranges of the primary key. Only outdated secrets are transferred. */
export async function findOutdatedSecrets(
  tx: Transaction,
  place: SecretsTable,
  mark: Buffer,
  after: string,
  limit: number,
): Promise<SecretsBatch> {
  const { table, id, valid } = secretTables[place];
  const [batch] = await tx.query<{ count: number; last: string | null }>(
    `select count(*) as count, (array_agg(id order by id desc))[1] as last
       from (select ${id} as id from ${table} where ${id} > $1 order by ${id} limit $2) as batch`,
    [after, limit],
  );
  if (!batch?.last) return { count: 0, outdated: [] };
  const outdated = await tx.query<EncryptedSecret>(
    `select ${id} as id, tenant_id as "tenantId", ciphertext as encrypted from ${table}
      where ${id} > $1 and ${id} <= $2 and substring(ciphertext from 1 for $4) <> $3 and ${valid}
      order by ${id}`,
    [after, batch.last, mark, mark.length],
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
  const { table, id } = secretTables[place];
  const rows = await tx.query(
    `update ${table} s set ciphertext = n.fresh
       from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as n (id, encrypted, fresh)
      where s.tenant_id = $4 and s.${id} = n.id and s.ciphertext = n.encrypted returning n.id`,
    [
      uuids(secrets.map(({ id }) => id)),
      byteas(secrets.map(({ encrypted }) => encrypted)),
      byteas(secrets.map(({ fresh }) => fresh)),
      tenantId,
    ],
  );
  return rows.length;
}
