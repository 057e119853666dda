// SQL by hand: the first statement of each fan-out, benchmarked.
import type { Transaction } from '../database.js';

export interface FanOutPosition {
  /** The last event that was fanned out. */
  sequence: number;
  /** The last committed event. */
  last: number;
}

/**
 * Locks a tenant's fan-out until the end of the transaction. Returns undefined if another transaction has the lock, and
 * for tenants that are deleted. Sequences follow commits, so no event below `last` is still missing.
 */
export async function lockFanOut(tx: Transaction, tenantId: string): Promise<FanOutPosition | undefined> {
  const locked = await lockPosition(tx, tenantId);
  if (locked || !(await beginPosition(tx, tenantId))) return locked;
  return lockPosition(tx, tenantId);
}

async function lockPosition(tx: Transaction, tenantId: string): Promise<FanOutPosition | undefined> {
  // Sent together. The second reads after the first has the lock, whose previous holder may have processed later events.
  const [[position], [events]] = await Promise.all([
    tx.query<{ sequence: number }>(
      'select sequence from fan_out_positions where tenant_id = $1 for update skip locked',
      [tenantId],
    ),
    tx.query<{ last: number }>('select last from event_sequences where tenant_id = $1', [tenantId]),
  ]);
  return position && { sequence: position.sequence, last: events?.last ?? position.sequence };
}

/** Returns false if the tenant has a position or was deleted before its last events were processed. */
async function beginPosition(tx: Transaction, tenantId: string): Promise<boolean> {
  const inserted = await tx.query(
    `insert into fan_out_positions (tenant_id, sequence)
     select id, 0 from tenants where id = $1 and not exists (select from tenant_deletions where tenant_id = $1)
     on conflict do nothing returning 1`,
    [tenantId],
  );
  return inserted.length > 0;
}

export async function saveFanOut(tx: Transaction, tenantId: string, sequence: number): Promise<void> {
  await tx.query('update fan_out_positions set sequence = $2 where tenant_id = $1', [tenantId, sequence]);
}

/** Finds tenants with events that are not fanned out yet; the longest backlog first. */
export async function findTenantsBehind(tx: Transaction, limit: number): Promise<{ tenantId: string; last: number }[]> {
  return tx.query<{ tenantId: string; last: number }>(
    `select s.tenant_id as "tenantId", s.last from event_sequences s left join fan_out_positions p using (tenant_id)
      where s.last > coalesce(p.sequence, 0) order by s.last - coalesce(p.sequence, 0) desc limit $1`,
    [limit],
  );
}
