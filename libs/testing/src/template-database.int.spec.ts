import { randomBytes } from 'node:crypto';
import { createDatabase, databaseUrl, dropDatabase } from '@idsync/database/schema';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { keepTemplate } from './template-database.js';

const server = process.env.DATABASE_URL ?? '';
const names: string[] = [];

/** Differs from every real template name, which has 16 digits. */
function nameOfTemplate(): string {
  const name = `idsync_template_test_${randomBytes(4).toString('hex')}`;
  names.push(name);
  return name;
}

afterEach(async () => {
  for (const name of names.splice(0)) {
    if (await exists(name)) await query('postgres', `alter database ${name} with is_template false`);
    await dropDatabase(server, name);
  }
});

async function query(database: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl(server, database) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function exists(name: string): Promise<boolean> {
  return (await query('postgres', `select from pg_database where datname = '${name}'`)).length > 0;
}

const fillWith = (table: string) => (url: string) => query(new URL(url).pathname.slice(1), `create table ${table} ()`);

/** Returns the tables of a copy. */
async function tablesOf(template: string): Promise<unknown[]> {
  const copy = nameOfTemplate();
  await createDatabase(server, copy, template);
  const rows = await query(copy, `select relname from pg_class where relnamespace = 'public'::regnamespace`);
  return rows.map(({ relname }) => relname);
}

describe('a template database', () => {
  it('is filled once, even by concurrent test runs', async () => {
    const name = nameOfTemplate();
    let fills = 0;
    const fill = (url: string) => {
      fills += 1;
      return fillWith('people')(url);
    };
    await Promise.all([1, 2, 3].map(() => keepTemplate(server, name, fill)));
    expect(fills).toBe(1);
    expect(await tablesOf(name)).toEqual(['people']);
  });

  it('is filled again after a run that failed midway', async () => {
    const name = nameOfTemplate();
    const failing = async (url: string) => {
      await fillWith('half')(url);
      throw new Error('killed');
    };
    await expect(keepTemplate(server, name, failing)).rejects.toThrow('killed');
    await keepTemplate(server, name, fillWith('whole'));
    expect(await tablesOf(name)).toEqual(['whole']);
  });

  it('is dropped when no run has used it for a day, complete or not', async () => {
    const [unused, half, used, current] = [nameOfTemplate(), nameOfTemplate(), nameOfTemplate(), nameOfTemplate()];
    for (const name of [unused, used]) await keepTemplate(server, name, fillWith('people'));
    await expect(keepTemplate(server, half, () => Promise.reject(new Error('killed')))).rejects.toThrow('killed');
    for (const name of [unused, half]) {
      await query('postgres', `comment on database ${name} is '2020-01-31T12:00:00.000Z'`);
    }
    await keepTemplate(server, current, fillWith('people'));
    expect(await Promise.all([unused, half, used, current].map(exists))).toEqual([false, false, true, true]);
  });
});
