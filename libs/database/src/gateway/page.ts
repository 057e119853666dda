// SQL by hand: a count beside a page that is a join, and a window expression for size-limited pages.
import { volumeLimits } from '@idsync/contracts';
import type { EntityTarget, FindManyOptions, ObjectLiteral } from 'typeorm';
import type { Transaction } from '../database.js';

export interface Page {
  limit: number;
  offset: number;
}

export interface Rows<Row> {
  rows: Row[];
  total: number;
}

/** Returns a page of rows and their total; for lists of tens or hundreds. */
export async function findPage<Entity extends ObjectLiteral>(
  tx: Transaction,
  entity: EntityTarget<Entity>,
  { limit, offset }: Page,
  options: Pick<FindManyOptions<Entity>, 'where' | 'order'>,
): Promise<Rows<Entity>> {
  const [rows, total] = await tx.manager.findAndCount(entity, { ...options, take: limit, skip: offset });
  return { rows, total };
}

/** The total of a list that grows without limit, in the form of the API. */
export interface BoundedTotal {
  total: number;
  /** There are more than were counted. */
  total_is_estimate?: true;
}

/** Largest total that is counted. */
export const maxCounted = 10_000;

/** Counts the rows of a list up to a maximum. `from` is the rest of a `select`, in the order of an index. */
export async function countUpToMaximum(
  tx: Transaction,
  from: string,
  values: readonly unknown[],
): Promise<BoundedTotal> {
  const found = await tx.count(`select count(*) from (select ${from} limit ${maxCounted + 1}) as counted`, values);
  return found > maxCounted ? { total: maxCounted, total_is_estimate: true } : { total: found };
}

/**
 * Returns a window expression that is true for the rows of a size-limited page. A page ends before the item that would
 * exceed the size limit, but has at least one item. `bytes` must not require reading the value.
 */
export function isWithinPage(bytes: string, order: string): string {
  const upto = `sum(${bytes}) over (order by ${order} rows unbounded preceding)`;
  return `(${upto} <= ${volumeLimits.pageBytes} or ${upto} = ${bytes})`;
}
