import type { Transaction } from '../database.js';

const lock = (connectorId: string): string => `scim ${connectorId}`;

/**
 * Begins a push: the pushes of one connector happen one after another, so that their numbers are in the order of their commits.
 * Returns this one's number; a push that comes to nothing leaves a gap.
 */
export async function beginPush(tx: Transaction, tenantId: string, connectorId: string): Promise<number> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock(connectorId)]);
  const [row] = await tx.query<{ last: string }>(
    `insert into scim_positions as p (connector_id, tenant_id, last) values ($1, $2, 1)
     on conflict (connector_id) do update set last = p.last + 1 returning last`,
    [connectorId, tenantId],
  );
  if (!row) throw new Error('a push without a number');
  return Number(row.last);
}

/**
 * Waits for the push that is under way. It may have found a job of the connector queued, and made none: that job, which
 * is reading by now, must see what it pushed.
 */
export async function awaitPush(tx: Transaction, connectorId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lock(connectorId)]);
}
