// SQL by hand: a version of an identity from one statement, whose snapshot also proves that it is final.
import { type Database, setLockTimeout } from '../../database.js';
import { survivor } from './survivor.js';

export interface IdentityAt {
  /** Undefined if the identity did not exist at the time. */
  document?: string;
  /** True if the time has not come yet, so that there is no answer. */
  isFuture: boolean;
}

/** Clocks of clients may be this much ahead. */
const toleranceSeconds = 5;
/** Maximum wait for a transaction that has its time and has not committed yet. */
const lockWaitMs = 5_000;

/**
 * Finds an identity as it was at a time. A merged identity is itself before the merge and the survivor afterwards. The
 * answer stays the same until an erasure: every later change has a later time.
 */
export async function findIdentityAt(database: Database, tenantId: string, id: string, at: Date): Promise<IdentityAt> {
  const found = await readIdentityAt(database, tenantId, id, at);
  if (found.isFinal || found.isFuture) return found;
  await reserveTimesUpTo(database, tenantId, at);
  return readIdentityAt(database, tenantId, id, at);
}

/** Waits for transactions whose time may be up to `at`, and makes later ones get a later time. */
async function reserveTimesUpTo(database: Database, tenantId: string, at: Date): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    await setLockTimeout(tx, lockWaitMs);
    await tx.query('update event_sequences set last_at = greatest(last_at, $2) where tenant_id = $1', [tenantId, at]);
  });
}

async function readIdentityAt(
  database: Database,
  tenantId: string,
  id: string,
  at: Date,
): Promise<IdentityAt & { isFinal: boolean }> {
  const [row] = await database.read<{ document: string | null; isFinal: boolean; isFuture: boolean }>(tenantId, {
    name: 'identity-at',
    text: `
      with own as materialized (
        select into_id from identity_versions
         where tenant_id = $1 and identity_id = $2 and valid_until > $3 order by valid_until, id limit 1),
      meant as materialized (
        select case when exists (select from own) then coalesce((select into_id from own), $2)
               else ${survivor('select into_id from identity_redirects where tenant_id = $1 and id = $2 and merged_at <= $3')} end as id)
      select coalesce((select last_at >= $3 from event_sequences where tenant_id = $1), false) as "isFinal",
             $3 > clock_timestamp() + interval '${toleranceSeconds} seconds' as "isFuture",
             (select document from (
                (select document from identity_versions
                  where tenant_id = $1 and identity_id = (select id from meant) and valid_until > $3
                  order by valid_until, id limit 1)
                union all
                (select document from identities where tenant_id = $1 and id = (select id from meant))) as versions
               where (document::json ->> 'created_at')::timestamptz <= $3 limit 1) as document`,
    values: [tenantId, id, at],
  });
  if (!row) throw new Error('the query of a version returned no row');
  return { ...row, document: row.document ?? undefined };
}
