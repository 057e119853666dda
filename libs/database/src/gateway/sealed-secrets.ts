import { byteas, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Where sealed secrets stand, by what the row is called. */
const places = {
  webhooks: { table: 'webhook_secrets', id: 'id', valid: '(expires_at is null or expires_at > now())' },
  connectors: { table: 'connector_secrets', id: 'connector_id', valid: 'true' },
} as const;

export type SecretsPlace = keyof typeof places;

export interface SealedSecret {
  id: string;
  tenantId: string;
  sealed: Buffer;
}

/** A stretch of all tenants' secrets of one place, by their ids. */
export interface SecretsPortion {
  count: number;
  /** The last id of it, where the next one begins; absent if it is empty. */
  last?: string;
  /** Those of it that are still valid and do not begin with the mark of the current key. */
  outdated: SealedSecret[];
}

/** Two ranges of the primary key; only what is outdated leaves the database. */
export async function findOutdatedSecrets(
  tx: Transaction,
  place: SecretsPlace,
  mark: Buffer,
  after: string,
  limit: number,
): Promise<SecretsPortion> {
  const { table, id, valid } = places[place];
  const [portion] = await tx.query<{ count: number; last: string | null }>(
    `select count(*) as count, (array_agg(id order by id desc))[1] as last
       from (select ${id} as id from ${table} where ${id} > $1 order by ${id} limit $2) as portion`,
    [after, limit],
  );
  if (!portion?.last) return { count: 0, outdated: [] };
  const outdated = await tx.query<SealedSecret>(
    `select ${id} as id, tenant_id as "tenantId", ciphertext as sealed from ${table}
      where ${id} > $1 and ${id} <= $2 and substring(ciphertext from 1 for $4) <> $3 and ${valid}
      order by ${id}`,
    [after, portion.last, mark, mark.length],
  );
  return { count: portion.count, last: portion.last, outdated };
}

/** Puts new seals in the place of those that are still the same. Returns how many were. */
export async function replaceSecrets(
  tx: Transaction,
  place: SecretsPlace,
  secrets: readonly (SealedSecret & { fresh: Buffer })[],
): Promise<number> {
  const { table, id } = places[place];
  const rows = await tx.query(
    `update ${table} s set ciphertext = n.fresh
       from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as n (id, sealed, fresh)
      where s.${id} = n.id and s.ciphertext = n.sealed returning n.id`,
    [
      uuids(secrets.map(({ id }) => id)),
      byteas(secrets.map(({ sealed }) => sealed)),
      byteas(secrets.map(({ fresh }) => fresh)),
    ],
  );
  return rows.length;
}
