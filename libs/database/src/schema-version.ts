import type { DataSource } from 'typeorm';
import { migrationsTable } from './data-source.js';
import { migrations } from './migrations/index.js';
import { readFloor } from './schema-floor.js';

/** This code must not work with the database's schema. */
export class SchemaVersionError extends Error {
  override readonly name = 'SchemaVersionError';
}

/** Names of the migrations this code knows, oldest first. */
const known = migrations.map((migration) => migration.name);

/** Throws SchemaVersionError if the schema lacks what this code knows, or has lost what this code may need. A newer one will do. */
export async function checkSchemaVersion(dataSource: DataSource): Promise<void> {
  await refuseBelowFloor(dataSource);
  const { missing } = await compareSchema(dataSource);
  if (missing.length > 0) {
    throw new SchemaVersionError(
      `the database schema is too old: ${missing.join(', ')} not applied; run: npm run migrate`,
    );
  }
}

/** How the schema compares with the one this code was written for. */
export async function schemaAge(dataSource: DataSource): Promise<'older' | 'current' | 'newer'> {
  const { missing, unknown } = await compareSchema(dataSource);
  if (missing.length > 0) return 'older';
  return unknown.length > 0 ? 'newer' : 'current';
}

/** True if code after this one has migrated the schema: there is nothing left for this code to do. Throws SchemaVersionError if it cannot tell. */
export async function isMigratedByNewer(dataSource: DataSource): Promise<boolean> {
  await refuseBelowFloor(dataSource);
  const { missing, unknown } = await compareSchema(dataSource);
  if (unknown.length > 0 && missing.length > 0) {
    throw new SchemaVersionError(
      `the database schema is of another line than this version: it has ${unknown.join(', ')} and lacks ${missing.join(', ')}`,
    );
  }
  return unknown.length > 0;
}

async function refuseBelowFloor(dataSource: DataSource): Promise<void> {
  const floor = await readFloor(dataSource);
  if (floor !== null && !known.includes(floor)) {
    throw new SchemaVersionError(`the database schema is too new for this version, which does not know ${floor}`);
  }
}

/** What the schema lacks of this code's migrations, and what it has beyond them. */
async function compareSchema(dataSource: DataSource): Promise<{ missing: string[]; unknown: string[] }> {
  const [found] = await dataSource.query<{ exists: boolean }[]>('select to_regclass($1) is not null as exists', [
    migrationsTable,
  ]);
  const rows = found?.exists ? await dataSource.query<{ name: string }[]>(`select name from ${migrationsTable}`) : [];
  const applied = new Set(rows.map((row) => row.name));
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
  };
}
