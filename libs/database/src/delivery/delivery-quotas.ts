// SQL by hand: a count that starts again each hour.
import type { Transaction } from '../database.js';

/** Returns the limits on delivery attempts an hour, by tenant. Few tenants have one. */
export async function findDeliveryQuotas(tx: Transaction): Promise<Map<string, number>> {
  const rows = await tx.query<{ tenantId: string; limit: number }>(
    `select tenant_id as "tenantId", (quotas ->> 'deliveries_per_hour')::bigint as limit from tenant_quotas
      where quotas ->> 'deliveries_per_hour' is not null`,
  );
  return new Map(rows.map(({ tenantId, limit }) => [tenantId, Number(limit)]));
}

export interface DeliveryHour {
  attempts: number;
  /** When it ends, in milliseconds of the database's clock. */
  ends: number;
}

/** Returns the attempts of the present hour. Locks them until the commit, so that dispatchers do not exceed the limit. */
export async function lockDeliveryHour(tx: Transaction, tenantId: string): Promise<DeliveryHour> {
  const [row] = await tx.query<DeliveryHour>(
    `insert into delivery_hours as h (tenant_id, hour, attempts) values ($1, date_trunc('hour', now()), 0)
     on conflict (tenant_id) do update
       set hour = excluded.hour, attempts = case when h.hour = excluded.hour then h.attempts else 0 end
     returning attempts, extract(epoch from hour + interval '1 hour')::float8 * 1000 as ends`,
    [tenantId],
  );
  return { attempts: Number(row?.attempts ?? 0), ends: Number(row?.ends ?? 0) };
}

export async function addDeliveryAttempts(tx: Transaction, tenantId: string, begun: number): Promise<void> {
  await tx.query('update delivery_hours set attempts = attempts + $2 where tenant_id = $1', [tenantId, begun]);
}
