// SQL by hand: upserts in bulk, benchmarked.
import { arraysOf, bigints, texts } from '../arrays.js';
import type { Transaction } from '../database.js';

export interface CounterChange {
  resource: 'identity' | 'user';
  status: string;
  /** Creation time of the counted resource, which is its position in the lists. */
  createdAt: Date;
  by: number;
}

/**
 * Levels of `list_positions`: a bucket of level n is 64 times as wide as one of level n - 1, and the lowest is 64 ms
 * wide. A bucket of level 5 spans two years, so the top level has only a few rows.
 */
export const positionLevels = 6;

/**
 * Adds to the totals of the lists, and to the counts by creation time that locate a page. Locks both until the commit.
 * A batch of new people shares one creation time and so changes seven rows: 1 ms of about 300 ms for a thousand people.
 */
export async function addToCounters(tx: Transaction, changes: readonly CounterChange[]): Promise<void> {
  if (changes.length === 0) return;
  const columns = [
    tx.tenantId,
    ...arraysOf(changes, { resource: texts, status: texts, by: bigints }),
    bigints(changes.map(({ createdAt }) => createdAt.getTime())),
  ];
  const counted = tx.query(
    `insert into directory_counters (tenant_id, resource, status, count)
     select $1, resource, status, sum(by)
       from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) as c (resource, status, by, ms)
      group by 2, 3 having sum(by) <> 0 order by 2, 3
     on conflict (tenant_id, resource, status) do update set count = directory_counters.count + excluded.count`,
    columns,
  );
  const placed = tx.query(
    `insert into list_positions (tenant_id, resource, level, bucket, status, count)
     select $1, resource, level, ms >> (6 + 6 * level), status, sum(by)
       from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) as c (resource, status, by, ms)
      cross join generate_series(0, ${positionLevels - 1}) as level
      group by 2, 3, 4, 5 having sum(by) <> 0 order by 2, 3, 4, 5
     on conflict (tenant_id, resource, level, bucket, status) do update set count = list_positions.count + excluded.count`,
    columns,
  );
  await Promise.all([counted, placed]);
}
