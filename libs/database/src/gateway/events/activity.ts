// SQL by hand: a binary search for each hour, and sums over a range of an index.
import type { Transaction } from '../../database.js';
import { useIndexScans } from '../../transaction-settings.js';
import { attemptsOf, lastHours } from '../webhooks/hours.js';

export interface HourOfActivity {
  at: Date;
  events: number;
  /** Attempts of deliveries that ended. */
  delivered: number;
  failed: number;
}

/**
 * Returns the events and the attempts of deliveries by hour, of the last 24 hours, the oldest first. Events are numbered
 * without gaps in the order of their times, so those of an hour are counted by the number of its first one.
 */
export async function findActivity(tx: Transaction): Promise<HourOfActivity[]> {
  await useIndexScans(tx);
  return tx.query<HourOfActivity>(
    `with recursive hours as materialized (${lastHours}),
     ends as materialized (
       select (select sequence from events where tenant_id = $1 order by sequence limit 1) as first,
              (select sequence from events where tenant_id = $1 order by sequence desc limit 1) as last),
     search (at, low, high) as (
       select at, coalesce(first, 1), coalesce(last, 0) + 1 from hours cross join ends
       union all
       select at, case when is_before then middle + 1 else low end, case when is_before then high else middle end
         from (select *, (low + high) / 2 as middle from search where low < high offset 0) as step
        cross join lateral (
          select coalesce((select occurred_at < step.at from events
                            where tenant_id = $1 and sequence >= step.middle order by sequence limit 1), false) as is_before) as event),
     attempts as (
       select hour as at, ${attemptsOf('delivered')} as delivered, ${attemptsOf('failed')} as failed
         from webhook_hours where tenant_id = $1 and hour >= (select min(at) from hours) group by hour)
     select at, coalesce(lead(low) over (order by at), (select last + 1 from ends), low) - low as events,
            coalesce(delivered, 0) as delivered, coalesce(failed, 0) as failed
       from search left join attempts using (at) where low = high order by at`,
    [tx.tenantId],
  );
}
