import type { DataSource, QueryRunner } from 'typeorm';
import { migrationsTable } from './data-source.js';

/**
 * Says in the schema that code which does not know the migration `name` must not run on it any more. A migration that takes
 * something away says so of itself, in its own transaction; its `down` names the floor of before.
 */
export async function setFloor(runner: QueryRunner, name: string | null): Promise<void> {
  const words = name === null ? 'null' : `'Code that does not know ${name} must not run here.'`;
  await runner.query(`comment on table ${migrationsTable} is ${words}`);
}

/** The migration that code has to know here; null if nothing was taken away since floors are kept. */
export async function readFloor(dataSource: DataSource): Promise<string | null> {
  const [row] = await dataSource.query<{ words: string | null }[]>(
    `select obj_description(to_regclass($1), 'pg_class') as words`,
    [migrationsTable],
  );
  return /does not know (\w+)/.exec(row?.words ?? '')?.[1] ?? null;
}
