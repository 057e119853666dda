import { createDatabase, databaseUrl, dropDatabase, migrate } from '@idsync/database/schema';
import pg from 'pg';

/** Key of the advisory lock for the templates of the server; any otherwise unused number. */
const lockKey = 4_367_190_002;
const lockWithin = '2min';
const unusedAfterMs = 24 * 60 * 60_000;

/**
 * Ensures that the server has a migrated database `name`, which later test runs reuse, since the name identifies the
 * schema. One run creates it while others wait; an incomplete template of a killed run is replaced. Drops templates
 * that no run has used for a day.
 */
export async function keepTemplate(
  server: string,
  name: string,
  fill: (url: string) => Promise<unknown> = migrate,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(server, 'postgres'), connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query(`set lock_timeout = '${lockWithin}'`);
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await dropUnused(client, server, name);
    if (!(await isComplete(client, name))) {
      await dropDatabase(server, name);
      await createDatabase(server, name);
      await noteUse(client, name);
      await fill(databaseUrl(server, name));
      // Marks it as complete; an open connection would prevent copying it.
      await client.query(`alter database ${pg.escapeIdentifier(name)} with is_template true allow_connections false`);
    }
    await noteUse(client, name);
  } finally {
    // Closing the connection releases the lock.
    await client.end();
  }
}

async function isComplete(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [name]);
  return rowCount !== 0;
}

/** Stores the time of the last use as the comment of the template. */
async function noteUse(client: pg.Client, name: string): Promise<void> {
  const now = pg.escapeLiteral(new Date().toISOString());
  await client.query(`comment on database ${pg.escapeIdentifier(name)} is ${now}`);
}

async function dropUnused(client: pg.Client, server: string, name: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    `select datname from pg_database
     where datname like 'idsync\\_template\\_%' and datname <> $1 and shobj_description(oid, 'pg_database') < $2`,
    [name, new Date(Date.now() - unusedAfterMs).toISOString()],
  );
  for (const { datname } of rows) {
    await client.query(`alter database ${pg.escapeIdentifier(datname)} with is_template false`);
    await dropDatabase(server, datname);
  }
}
