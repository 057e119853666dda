// SQL by hand: advisory locks, and a counter.
import type { Transaction } from '../database.js';

const lock = (connectorId: string): string => `scim ${connectorId}`;

/**
 * Begins a push and returns its number. Pushes of one connector are serialised, so that numbers follow commit order; a
 * failed push leaves a gap.
 */
export async function beginPush(tx: Transaction, tenantId: string, connectorId: string): Promise<number> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock(connectorId)]);
  const [row] = await tx.query<{ last: number }>(
    `insert into scim_positions as p (connector_id, tenant_id, last) values ($1, $2, 1)
     on conflict (connector_id) do update set last = p.last + 1 returning last`,
    [connectorId, tenantId],
  );
  if (!row) throw new Error('the push got no number');
  return row.last;
}

/**
 * Waits for a push in progress. That push may have found a job of the connector queued and created none, so the job,
 * which is now reading, must see its changes.
 */
export async function waitForPush(tx: Transaction, connectorId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lock(connectorId)]);
}
