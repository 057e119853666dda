import { byteas, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

export interface SealedSecret {
  id: string;
  tenantId: string;
  sealed: Buffer;
}

/** A stretch of all tenants' signing secrets, by their ids. */
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
  mark: Buffer,
  after: string,
  limit: number,
): Promise<SecretsPortion> {
  const [portion] = await tx.query<{ count: number; last: string | null }>(
    `select count(*) as count, (array_agg(id order by id desc))[1] as last
       from (select id from webhook_secrets where id > $1 order by id limit $2) as portion`,
    [after, limit],
  );
  if (!portion?.last) return { count: 0, outdated: [] };
  const outdated = await tx.query<SealedSecret>(
    `select id, tenant_id as "tenantId", ciphertext as sealed from webhook_secrets
      where id > $1 and id <= $2 and substring(ciphertext from 1 for $4) <> $3
        and (expires_at is null or expires_at > now())
      order by id`,
    [after, portion.last, mark, mark.length],
  );
  return { count: portion.count, last: portion.last, outdated };
}

/** Puts new seals in the place of those that are still the same. Returns how many were. */
export async function replaceSecrets(
  tx: Transaction,
  secrets: readonly (SealedSecret & { fresh: Buffer })[],
): Promise<number> {
  const rows = await tx.query(
    `update webhook_secrets s set ciphertext = n.fresh
       from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as n (id, sealed, fresh)
      where s.id = n.id and s.ciphertext = n.sealed returning s.id`,
    [
      uuids(secrets.map(({ id }) => id)),
      byteas(secrets.map(({ sealed }) => sealed)),
      byteas(secrets.map(({ fresh }) => fresh)),
    ],
  );
  return rows.length;
}
