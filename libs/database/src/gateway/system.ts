// SQL by hand: settings of the server and the table of migrations have no entities.
import { migrationsTable } from '../data-source.js';
import type { Transaction } from '../database.js';

/** Returns the version of PostgreSQL and the newest migration of the schema. */
export async function databaseVersions(tx: Transaction): Promise<{ postgresql: string; schema: string }> {
  const [found] = await tx.query<{ postgresql: string; schema: string }>(
    `select split_part(current_setting('server_version'), ' ', 1) as postgresql,
            (select name from ${migrationsTable} order by timestamp desc limit 1) as schema`,
  );
  return found ?? { postgresql: '', schema: '' };
}

/** Counts the events that are not fanned out yet. Reads one row of each tenant, across tenants. */
export async function fanOutLag(tx: Transaction): Promise<{ tenants: number; events: number }> {
  const [found] = await tx.query<{ tenants: number; events: number }>(
    `select count(*)::int as tenants, coalesce(sum(s.last - coalesce(p.sequence, 0)), 0)::bigint as events
       from event_sequences s left join fan_out_positions p using (tenant_id)
      where s.last > coalesce(p.sequence, 0)`,
  );
  return found ?? { tenants: 0, events: 0 };
}
