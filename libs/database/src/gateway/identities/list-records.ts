// SQL by hand: pages by size with bounded counts, benchmarked.
import type { RecordKind } from '@idsync/contracts';
import type { Database, NamedQuery } from '../../database.js';
import { isWithinPage } from '../page.js';
import { type DocumentPage, type DocumentQuery, readRendered } from './documents.js';
import { conditionsOf, type RecordFilter, riskOrder } from './filters.js';

export type ListedKind = Exclude<RecordKind, 'user'>;
export type RecordListQuery = DocumentQuery & RecordFilter;

/** Largest total that is counted. */
export const maxCounted = 10_000;

/** Returns a page of a tenant's accounts or machine identities in creation order, or by risk. */
export async function listRecords(
  database: Database,
  tenantId: string,
  kind: ListedKind,
  query: RecordListQuery,
): Promise<DocumentPage> {
  const { risk, ...page } = await readRendered<DocumentPage & { risk: number | null }>(
    database,
    tenantId,
    recordListQuery(tenantId, kind, query),
  );
  return {
    ...page,
    total: Math.min(page.total, maxCounted),
    isEstimate: page.total > maxCounted,
    last: page.last && { ...page.last, ...(risk !== null && { risk }) },
  };
}

/** Builds the statement of a page; each combination of filters has its own prepared statement. */
export function recordListQuery(tenantId: string, kind: ListedKind, query: RecordListQuery): NamedQuery {
  const values: unknown[] = [tenantId, query.limit, query.offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const conditions = conditionsOf(kind, query, value);
  const filter = `tenant_id = $1 and ${conditions.map(({ sql }) => sql).join(' and ')}`;
  const { sourceId, byRisk = false, after } = query;
  const first = byRisk ? [riskOrder] : sourceId ? ['connector_id'] : [];
  const position = [...first, 'created_at', 'id'].join(', ');
  const later = after ? ` and (${position}) > (${placeOf(after, query).map(value).join(', ')})` : '';
  // In an order whose index also has the status, so that the count reads no row.
  const counting = [...(sourceId ? ['connector_id'] : []), 'created_at', 'id'].join(', ');
  const counted = `select created_at from source_records where ${filter} order by ${counting} limit ${maxCounted + 1}`;
  const order = byRisk ? 'risk, created_at, id' : 'created_at, id';
  const last = (column: string) =>
    `(array_agg(${column} order by ${order.replaceAll(/\w+/g, '$& desc')}) filter (where fits))[1]`;
  return {
    name: ['records', ...conditions.map(({ name }) => name), byRisk && 'risk', later && 'after']
      .filter((each) => each)
      .join('-'),
    text: `
      select string_agg(document, ',' order by ${order}) filter (where fits) as items,
             count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as "isCut",
             (select count(*) from (${counted}) as counted) as total,
             ${last('created_at')} as at, ${last('id')} as id, ${byRisk ? `(- ${last('risk')})::float` : 'null'} as risk
        from (select document, ${order}, ${isWithinPage('octet_length(document)', order)} as fits
                from (select document, created_at, id, ${byRisk ? riskOrder : 'null'} as risk
                        from source_records where ${filter}${later}
                       order by ${position} limit $2 offset $3) as page) as page`,
    values,
  };
}

/** Values of the columns that a list is ordered by. */
function placeOf(
  { createdAt, id, risk = 0 }: NonNullable<RecordListQuery['after']>,
  { sourceId, byRisk }: RecordFilter,
): unknown[] {
  const first = byRisk ? [-risk] : sourceId ? [sourceId] : [];
  return [...first, new Date(createdAt), id];
}
