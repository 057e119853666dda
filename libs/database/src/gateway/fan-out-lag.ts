// SQL by hand: sums over the tenants that are behind.
import type { Transaction } from '../database.js';

/** Counts the events that are not fanned out yet. Reads one row of each tenant, across tenants. */
export async function fanOutLag(tx: Transaction): Promise<{ tenants: number; events: number }> {
  const [found] = await tx.query<{ tenants: number; events: number }>(
    `select count(*)::int as tenants, coalesce(sum(s.last - coalesce(p.sequence, 0)), 0)::bigint as events
       from event_sequences s left join fan_out_positions p using (tenant_id)
      where s.last > coalesce(p.sequence, 0)`,
  );
  return found ?? { tenants: 0, events: 0 };
}
