// SQL by hand: roles, catalogues and DDL have no entities.
import type { DataSource, QueryRunner } from 'typeorm';
import { migrationsTable } from '../data-source.js';
import { migrations } from '../migrations/index.js';

/** Thrown if this code must not run on the database's schema. */
export class SchemaVersionError extends Error {
  override readonly name = 'SchemaVersionError';
}

/** Names of this code's migrations, oldest first. */
const known = () => migrations.map((migration) => migration.name);

/**
 * Throws SchemaVersionError if the schema lacks a migration of this code, or has a floor that this code does not reach.
 * A newer schema is accepted.
 */
export async function checkSchemaVersion(dataSource: DataSource): Promise<void> {
  await rejectBelowFloor(dataSource);
  const { missing } = await compareSchema(dataSource);
  if (missing.length > 0) {
    throw new SchemaVersionError(
      `the database schema is too old: ${missing.join(', ')} not applied; run: npm run migrate`,
    );
  }
}

/** Compares the schema with the version that this code was written for. */
export async function schemaAge(dataSource: DataSource): Promise<'older' | 'current' | 'newer'> {
  const { missing, unknown } = await compareSchema(dataSource);
  if (missing.length > 0) return 'older';
  return unknown.length > 0 ? 'newer' : 'current';
}

/**
 * Returns true if a later version has migrated the schema, so that there is nothing to apply. Throws SchemaVersionError
 * if the versions are incompatible.
 */
export async function isMigratedByNewer(dataSource: DataSource): Promise<boolean> {
  await rejectBelowFloor(dataSource);
  const { missing, unknown } = await compareSchema(dataSource);
  if (unknown.length > 0 && missing.length > 0) {
    throw new SchemaVersionError(
      `the database schema is from a different line of versions: it has ${unknown[0]} and lacks ${missing[0]}; use a new database`,
    );
  }
  return unknown.length > 0;
}

async function rejectBelowFloor(dataSource: DataSource): Promise<void> {
  const floor = await readFloor(dataSource);
  if (floor !== null && !known().includes(floor)) {
    throw new SchemaVersionError(`the database schema is too new for this version, which lacks the migration ${floor}`);
  }
}

/** Returns the migrations that the schema lacks, and those that this code does not have. */
async function compareSchema(dataSource: DataSource): Promise<{ missing: string[]; unknown: string[] }> {
  const [found] = await dataSource.query<{ exists: boolean }[]>('select to_regclass($1) is not null as exists', [
    migrationsTable,
  ]);
  const rows = found?.exists ? await dataSource.query<{ name: string }[]>(`select name from ${migrationsTable}`) : [];
  const applied = new Set(rows.map((row) => row.name));
  return {
    missing: known().filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known().includes(name)),
  };
}

/**
 * Stores in the schema that code without the migration `name` must not run on it. A migration that removes something
 * sets itself as the floor, in its own transaction; its `down` restores the previous floor.
 */
export async function setFloor(runner: QueryRunner, name: string | null): Promise<void> {
  const words = name === null ? 'null' : `'Code that does not know ${name} must not run here.'`;
  await runner.query(`comment on table ${migrationsTable} is ${words}`);
}

/** Returns the migration that code must include to run on this schema, or null if there is no floor. */
async function readFloor(dataSource: DataSource): Promise<string | null> {
  const [row] = await dataSource.query<{ words: string | null }[]>(
    `select obj_description(to_regclass($1), 'pg_class') as words`,
    [migrationsTable],
  );
  return /does not know (\w+)/.exec(row?.words ?? '')?.[1] ?? null;
}
