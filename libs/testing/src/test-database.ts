import { randomBytes } from 'node:crypto';
import { createDatabase, databaseUrl, dropDatabase } from '@idsync/database/schema';
import pg from 'pg';
import { citusNodes, createCitusDatabase } from './citus-database.js';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * Creates a migrated database for one test file by copying the template of the test run, which takes 60 ms. With
 * `CITUS_URL`, it is distributed over the nodes of that cluster.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  if (process.env.CITUS_URL) return createCitusDatabase(await citusNodes(process.env.CITUS_URL));
  return createEmptyDatabase(required('IDSYNC_TEST_TEMPLATE'));
}

/** Creates a database without the idsync schema, for example as a source for a connector; or a copy of a template. */
export async function createEmptyDatabase(template?: string): Promise<TestDatabase> {
  const server = required('DATABASE_URL');
  const name = `idsync_test_${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name, template);
  await commitWithoutFlush(server, name);
  return { url: databaseUrl(server, name), drop: () => dropDatabase(server, name) };
}

/** Makes commits several times as fast. Only a crash of the server could lose them, and tests crash only private ones. */
async function commitWithoutFlush(server: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(server, 'postgres'), connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query(`alter database ${pg.escapeIdentifier(name)} set synchronous_commit = off`);
  } finally {
    await client.end();
  }
}

function required(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run this test in the integration project of Jest`);
  return value;
}
