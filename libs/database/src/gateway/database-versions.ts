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
