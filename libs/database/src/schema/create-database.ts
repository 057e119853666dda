// SQL by hand: roles, catalogues and DDL have no entities.
import pg from 'pg';

/** Returns the URL of another database on the same server with the same login. */
export function databaseUrl(url: string, name: string): string {
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  return copy.toString();
}

/** Creates `name` on the server of `url`, optionally as a copy of `template`. Does nothing if it exists. */
export async function createDatabase(url: string, name: string, template?: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return;
    const copyOf = template === undefined ? '' : ` template ${pg.escapeIdentifier(template)}`;
    await client.query(`create database ${pg.escapeIdentifier(name)}${copyOf}`);
  });
}

/** Drops the database and closes its connections. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await onServer(url, (client) => client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`));
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(url, 'postgres'), connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
