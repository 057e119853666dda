// SQL by hand: roles, catalogues and DDL have no entities.
import type { DataSource, QueryRunner } from 'typeorm';
import { migrationsTable } from '../data-source.js';

/**
 * Stores in the schema that code without the migration `name` must not run on it. A migration that removes something
 * sets itself as the floor, in its own transaction; its `down` restores the previous floor.
 */
export async function setFloor(runner: QueryRunner, name: string | null): Promise<void> {
  const words = name === null ? 'null' : `'Code that does not know ${name} must not run here.'`;
  await runner.query(`comment on table ${migrationsTable} is ${words}`);
}

/** Returns the migration that code must include to run on this schema, or null if there is no floor. */
export async function readFloor(dataSource: DataSource): Promise<string | null> {
  const [row] = await dataSource.query<{ words: string | null }[]>(
    `select obj_description(to_regclass($1), 'pg_class') as words`,
    [migrationsTable],
  );
  return /does not know (\w+)/.exec(row?.words ?? '')?.[1] ?? null;
}
