import type { Transaction } from '../database.js';

/**
 * Takes the right to fan a tenant's events out, until the transaction ends. `sequence` is the last event that was, `last` the last
 * one that is committed: sequences follow commits, so there is nothing below it that is still to come.
 */
export async function lockFanOut(tx: Transaction, tenantId: string): Promise<{ sequence: number; last: number }> {
  const sequence = (await lockPosition(tx, tenantId)) ?? (await beginPosition(tx, tenantId));
  // Asked after the lock: whoever held it may have gone on to events that came later.
  const [events] = await tx.query<{ last: number }>('select last from event_sequences where tenant_id = $1', [
    tenantId,
  ]);
  return { sequence, last: events?.last ?? sequence };
}

async function lockPosition(tx: Transaction, tenantId: string): Promise<number | undefined> {
  const [row] = await tx.query<{ sequence: number }>(
    'select sequence from fan_out_positions where tenant_id = $1 for update',
    [tenantId],
  );
  return row?.sequence;
}

async function beginPosition(tx: Transaction, tenantId: string): Promise<number> {
  await tx.query('insert into fan_out_positions (tenant_id, sequence) values ($1, 0) on conflict do nothing', [
    tenantId,
  ]);
  return (await lockPosition(tx, tenantId)) ?? 0;
}

export async function saveFanOut(tx: Transaction, tenantId: string, sequence: number): Promise<void> {
  await tx.query('update fan_out_positions set sequence = $2 where tenant_id = $1', [tenantId, sequence]);
}

/** Tenants with events that no fan-out has come to; the longest way behind first. */
export async function findTenantsBehind(tx: Transaction, limit: number): Promise<{ tenantId: string; last: number }[]> {
  return tx.query<{ tenantId: string; last: number }>(
    `select s.tenant_id as "tenantId", s.last from event_sequences s left join fan_out_positions p using (tenant_id)
      where s.last > coalesce(p.sequence, 0) order by s.last - coalesce(p.sequence, 0) desc limit $1`,
    [limit],
  );
}
