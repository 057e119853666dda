// SQL by hand: pages by size with bounded counts, benchmarked.
import type { RecordKind } from '@idsync/contracts';
import type { Database, NamedQuery } from '../../database.js';
import { isWithinPage, maxCounted } from '../page.js';
import { type DocumentPage, lastOf, readRendered } from './documents.js';
import { type Condition, conditionsOf, nameOf, riskOrder } from './filters.js';
import { searchMatchesOf } from './search-sets.js';
import type { SearchQuery } from './sorted-hits.js';

export type ListedKind = Exclude<RecordKind, 'user'>;

/** Returns a page of a tenant's accounts or machine identities in creation order, or by risk. */
export async function listRecords(
  database: Database,
  tenantId: string,
  kind: ListedKind,
  query: SearchQuery,
): Promise<DocumentPage> {
  const page = await readRendered<DocumentPage>(database, tenantId, recordListQuery(tenantId, kind, query));
  return { ...page, total: Math.min(page.total, maxCounted) };
}

/**
 * Builds the statement of a page; each combination of filters has its own prepared statement. Conditions that an index
 * has not are compared with a bounded number of rows.
 */
export function recordListQuery(tenantId: string, kind: ListedKind, query: SearchQuery): NamedQuery {
  const values: unknown[] = [tenantId, query.limit, query.offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const { sourceId, byRisk = false, after } = query;
  const conditions: Condition[] = [
    ...conditionsOf(kind, query, value),
    ...searchMatchesOf(query, value).map(({ name, matches }) => ({ name, sql: matches('each') })),
  ];
  const isInRange = ({ isOfIndex, name }: Condition) => (byRisk ? name === kind : isOfIndex);
  const range = `tenant_id = $1 and ${conditions
    .filter(isInRange)
    .map(({ sql }) => sql)
    .join(' and ')}`;
  const others = conditions.filter((each) => !isInRange(each)).map(({ sql }) => sql);
  const fulfilled = others.join(' and ') || 'true';
  const first = byRisk ? [riskOrder] : sourceId ? ['connector_id'] : [];
  const position = [...first, 'created_at', 'id'].join(', ');
  const later = after ? ` and (${position}) > (${placeOf(after, query).map(value).join(', ')})` : '';
  const rows = (condition = '') => `source_records where ${range}${later}${condition} order by ${position}`;
  // In an order whose index also has the status, so that the count reads no row.
  const counting = [...(sourceId ? ['connector_id'] : []), 'created_at', 'id'].join(', ');
  const order = byRisk ? 'risk, created_at, id' : 'created_at, id';
  const risk = byRisk ? riskOrder : 'null';
  const examined = value(maxCounted + query.limit + query.offset);
  return {
    name: nameOf('records', ...conditions.map(({ name }) => name), byRisk && 'risk', after && 'after'),
    text: `
      with counted as materialized (
        select count(*) as examined, count(*) filter (where ${fulfilled}) as total
          from (select * from source_records where ${range} order by ${counting} limit ${maxCounted + 1}) as each),
      page as materialized (
        select string_agg(document, ',' order by ${order}) filter (where fits) as items,
               count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as is_cut, ${lastOf(order)}
          from (select document, ${order}, ${isWithinPage('octet_length(document)', order)} as fits
                  from (select document, created_at, id, ${risk} as risk from (select * from ${rows()} limit ${examined}) as each
                         where ${fulfilled} order by ${position} limit $2 offset $3) as page) as page)
      select items, count, is_cut or edge.id is not null as "isCut",
             (select total from counted) as total, (select examined > ${maxCounted} from counted) as "isEstimate",
             coalesce(edge.created_at, at) as at, coalesce(edge.id, page.id) as id,
             coalesce((- edge.risk)::float, page.risk) as risk
        from page
        left join lateral (
          select created_at, id, ${risk}::numeric as risk
            from ${rows(' and page.count < $2 and not page.is_cut')} limit 1 offset ${examined} - 1) as edge on true`,
    values,
  };
}

/** Values of the columns that a list is ordered by. */
function placeOf(
  { createdAt, id, risk = 0 }: NonNullable<SearchQuery['after']>,
  { sourceId, byRisk }: SearchQuery,
): unknown[] {
  const first = byRisk ? [-risk] : sourceId ? [sourceId] : [];
  return [...first, new Date(createdAt), id];
}
