// SQL by hand: advisory locks, and a counter.
import { setLockTimeout, type Transaction } from '../database.js';

export type ScimKind = 'User' | 'Group';

/** The columns of `scim_positions` that count what exists. */
const totals: Record<ScimKind, string> = { User: 'users', Group: 'groups' };

/** Timeout of a push for locks, including the one that serialises the pushes of a connector. */
const lockWaitMs = 10_000;

const lock = (connectorId: string): string => `scim ${connectorId}`;

/**
 * Begins `count` pushes in one transaction and returns the number of the first. Transactions of one connector are
 * serialised, so that numbers follow commit order; a failed push leaves a gap. Throws lockNotAvailable after ten seconds.
 */
export async function beginPush(tx: Transaction, connectorId: string, count = 1): Promise<number> {
  // Sent together, to save two round trips.
  const [, , [row]] = await Promise.all([
    setLockTimeout(tx, lockWaitMs),
    tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock(connectorId)]),
    tx.query<{ last: number }>(
      `insert into scim_positions as p (connector_id, tenant_id, last) values ($1, $2, $3)
       on conflict (tenant_id, connector_id) do update set last = p.last + excluded.last
       returning last`,
      [connectorId, tx.tenantId, count],
    ),
  ]);
  if (!row) throw new Error('the push got no number');
  return row.last - count + 1;
}

/** The statement that adds to the total of a kind, of the connector in `$2`, which the push has locked. */
export function addToTotal(kind: ScimKind, difference: 1 | -1): string {
  const column = totals[kind];
  return `update scim_positions set ${column} = ${column} + ${difference} where tenant_id = $1 and connector_id = $2`;
}

/** Returns the maintained number of users or groups. */
export async function findTotal(tx: Transaction, connectorId: string, kind: ScimKind): Promise<number> {
  return tx.count(`select ${totals[kind]} as count from scim_positions where tenant_id = $1 and connector_id = $2`, [
    tx.tenantId,
    connectorId,
  ]);
}

/**
 * Waits for a push in progress. That push may have found a job of the connector queued and created none, so the job,
 * which is now reading, must see its changes.
 */
export async function waitForPush(tx: Transaction, connectorId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lock(connectorId)]);
}
