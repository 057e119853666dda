import type { EntityTarget, FindOneOptions, ObjectLiteral, QueryDeepPartialEntity } from 'typeorm';
import type { Transaction } from './database.js';

/**
 * Lower than any id: where a walk in the order of ids begins. With `$1 is null or id > $1`, a plan for all values would
 * read each part from the beginning.
 */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** Inserts a row and returns it as stored, with column defaults. */
export async function insertRow<Entity extends ObjectLiteral>(
  tx: Transaction,
  entity: EntityTarget<Entity>,
  values: Partial<Entity>,
): Promise<Entity> {
  const insert = tx.manager.createQueryBuilder().insert().into(entity);
  const { generatedMaps } = await insert
    .values(values as QueryDeepPartialEntity<Entity>)
    .returning('*')
    .execute();
  return generatedMaps[0] as Entity;
}

/** Returns the first matching row, or undefined. */
export async function findRow<Entity extends ObjectLiteral>(
  tx: Transaction,
  entity: EntityTarget<Entity>,
  options: FindOneOptions<Entity>,
): Promise<Entity | undefined> {
  return (await tx.manager.findOne(entity, options)) ?? undefined;
}

/** A row whose nullable columns are absent, and not null. */
export type WithoutNulls<Row> = { [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: Exclude<Row[Name], null>;
};

/** Replaces null by undefined in a row that was just read. */
export function withoutNulls<Row extends object>(row: Row): WithoutNulls<Row> {
  const columns = row as Record<string, unknown>;
  for (const name in columns) if (columns[name] === null) columns[name] = undefined;
  return row as unknown as WithoutNulls<Row>;
}
