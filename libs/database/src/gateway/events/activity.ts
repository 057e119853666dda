// SQL by hand: counts by hour over the newest rows of two indexes.
import type { Transaction } from '../../database.js';
import { useIndexScans } from '../../transaction-settings.js';

export interface HourOfActivity {
  at: Date;
  events: number;
  /** Attempts of deliveries that ended. */
  delivered: number;
  failed: number;
}

export interface Activity {
  /** The last 24 hours, the oldest first. */
  hours: HourOfActivity[];
  /** False if there was more than is counted: the oldest hours are then too low. */
  complete: boolean;
}

/** Maximum number of events, and of attempts, that are counted. */
const maxCounted = 20_000;

/** Counts events and attempts of deliveries by hour. */
export async function findActivity(tx: Transaction, tenantId: string, countLimit = maxCounted): Promise<Activity> {
  await useIndexScans(tx);
  const rows = await tx.query<HourOfActivity & { complete: boolean }>(
    `with hours as (
       select at, at + interval '1 hour' as until
         from generate_series(date_trunc('hour', now()) - interval '23 hours', date_trunc('hour', now()), interval '1 hour') as at),
     newest as materialized (
       select occurred_at from events where tenant_id = $1 order by sequence desc limit $2),
     attempts as materialized (
       select a.* from webhooks as w cross join lateral (
         select started_at, outcome from webhook_attempts
          where tenant_id = $1 and webhook_id = w.id and started_at >= (select min(at) from hours)
          order by started_at desc limit greatest($2 / (select greatest(count(*), 1) from webhooks where tenant_id = $1), 1)) as a
        where w.tenant_id = $1)
     select at, coalesce(e.count, 0) as events, coalesce(a.delivered, 0) as delivered, coalesce(a.failed, 0) as failed,
            (select count(*) < $2 or min(occurred_at) < (select min(at) from hours) from newest) as complete
       from hours
       left join (select date_trunc('hour', occurred_at) as hour, count(*) from newest group by 1) as e on e.hour = at
       left join (select date_trunc('hour', started_at) as hour, count(*) filter (where outcome = 'delivered') as delivered,
                         count(*) filter (where outcome <> 'delivered') as failed from attempts group by 1) as a on a.hour = at
      order by at`,
    [tenantId, countLimit],
  );
  return { hours: rows.map(({ complete: _, ...hour }) => hour), complete: rows.every(({ complete }) => complete) };
}
