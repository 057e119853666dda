import type { DataSource } from 'typeorm';
import { migrationsTable } from './data-source.js';
import { migrations } from './migrations/index.js';

/** The database's schema is not the one this code was written for. */
export class SchemaVersionError extends Error {
  override readonly name = 'SchemaVersionError';
}

/** Names of the migrations this code knows, oldest first. */
const known = migrations.map((migration) => migration.name);

/** Throws SchemaVersionError unless the schema is the very one this code was written for. */
export async function checkSchemaVersion(dataSource: DataSource): Promise<void> {
  const applied = await refuseNewerSchema(dataSource);
  const missing = known.filter((name) => !applied.includes(name));
  if (missing.length > 0) {
    throw new SchemaVersionError(
      `the database schema is too old: ${missing.join(', ')} not applied; run: npm run migrate`,
    );
  }
}

/** How the schema compares with the one this code was written for. */
export async function schemaAge(dataSource: DataSource): Promise<'older' | 'current' | 'newer'> {
  const applied = await namesApplied(dataSource);
  if (known.some((name) => !applied.includes(name))) return 'older';
  return applied.length > known.length ? 'newer' : 'current';
}

/** What is applied, if this code knows it all; throws SchemaVersionError if not. */
export async function refuseNewerSchema(dataSource: DataSource): Promise<string[]> {
  const [found] = await dataSource.query<{ exists: boolean }[]>('select to_regclass($1) is not null as exists', [
    migrationsTable,
  ]);
  if (!found?.exists) return [];
  const applied = await namesApplied(dataSource);
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new SchemaVersionError(`the database schema is too new for this version: it has ${unknown.join(', ')}`);
  }
  return applied;
}

async function namesApplied(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(`select name from ${migrationsTable}`);
  return rows.map((row) => row.name);
}
