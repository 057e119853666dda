// SQL by hand: runs for every page of a source.
import { byteas } from '../arrays.js';
import type { Transaction } from '../database.js';

/**
 * Returns the tenant's encrypted key if it suppresses anything. The order keeps the look-up in the index: for any row of the
 * tenant, PostgreSQL reads the table from its beginning, where other tenants may be.
 */
export async function findSuppressionKey(tx: Transaction): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ ciphertext: Buffer }>(
    `select ciphertext from suppression_keys
      where tenant_id = $1
        and (select hash from suppression_hashes where tenant_id = $1 order by hash limit 1) is not null`,
    [tx.tenantId],
  );
  return row?.ciphertext;
}

/** Returns those of the hashes that are suppressed, in hexadecimal. */
export async function findSuppressed(tx: Transaction, hashes: readonly Buffer[]): Promise<Set<string>> {
  const rows = await tx.query<{ hash: string }>(
    `select encode(n.hash, 'hex') as hash from unnest($2::bytea[]) as n (hash)
      cross join lateral (select from suppression_hashes where tenant_id = $1 and hash = n.hash limit 1) s`,
    [tx.tenantId, byteas(hashes)],
  );
  return new Set(rows.map(({ hash }) => hash));
}

export async function addSuppressed(tx: Transaction, jobId: string, count: number): Promise<void> {
  await tx.query('update sync_jobs set records_suppressed = records_suppressed + $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    jobId,
    count,
  ]);
}
