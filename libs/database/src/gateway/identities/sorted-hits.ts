// SQL by hand: a bounded set of terms, sorted as pages by size, benchmarked.
import type { RecordKind } from '@idsync/contracts';
import type { NamedQuery } from '../../database.js';
import { isWithinPage } from '../page.js';
import { type DocumentPage, type DocumentQuery, lastOf } from './documents.js';
import {
  type Condition,
  conditionsOf,
  nameOf,
  type RecordFilter,
  type RecordMatch,
  recordCondition,
  riskOrder,
  type SharedFilter,
  sharedFiltersOf,
  type Value,
} from './filters.js';
import { type FoundSet, maxFound, type SearchFilter } from './search-sets.js';

export type SearchedResource = 'identity' | RecordKind;
export type SearchQuery = DocumentQuery & SearchFilter & RecordFilter & SharedFilter;

export interface HitsPage extends DocumentPage {
  /** True if the set has more records than one statement collects; the page is then empty. */
  isTooMany: boolean;
  /** True if any record of the set, and all conditions that are filters of a search, is found. */
  hasHits: boolean;
}

/**
 * Builds the statement of a page of the items that are in a set and fulfil the conditions: at most `maxFound` records are
 * found by one index, read by their ids, and sorted. Laterals with a limit keep this order on tables without statistics.
 */
export function hitsQuery(
  tenantId: string,
  resource: SearchedResource,
  query: SearchQuery,
  setOf: (value: Value) => FoundSet,
  matchesOf: (value: Value) => readonly RecordMatch[],
): NamedQuery {
  const values: unknown[] = [tenantId, query.limit, query.offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const { name, sql, before = [], isCut = 'false', isOfItems } = setOf(value);
  const isIdentity = resource === 'identity';
  const matches = [...matchesOf(value), ...(isIdentity || resource === 'user' ? sharedFiltersOf(query, value) : [])];
  const conditions: Condition[] = [
    ...conditionsOf(resource, query, value),
    ...matches.map((each) =>
      isIdentity ? recordCondition('each.id', each, query.status) : { name: each.name, sql: each.matches('each') },
    ),
  ];
  const table = isIdentity ? 'identities' : 'source_records';
  const order = query.byRisk ? 'risk, created_at, id' : 'created_at, id';
  const { after } = query;
  const place = after && [...(query.byRisk ? [-(after.risk ?? 0)] : []), new Date(after.createdAt), after.id];
  const later = place ? `where (${order}) > (${place.map(value).join(', ')})` : '';
  const found = `(select record_id from found_set limit (select case when is_cut then 0 end from cut)) as found`;
  const hits = isOfItems
    ? `select record_id as id from ${found}`
    : `select distinct ${isIdentity ? 'identity_id as id' : 'id'} from ${found}
        cross join lateral (select id, kind, identity_id from source_records
                             where tenant_id = $1 and id = found.record_id limit 1) as record
        where ${isIdentity ? 'identity_id is not null' : `kind = '${resource}'`}`;
  return {
    name: nameOf(
      'hits',
      resource,
      name,
      ...conditions.map((each) => each.name),
      query.byRisk && 'risk',
      after && 'after',
    ),
    text: `with ${[...before, `found_set as materialized (${sql} limit ${maxFound + 1})`].join(', ')},
      cut as materialized (select count(*) > ${maxFound} or ${isCut} as is_cut from found_set),
      hits as materialized (${hits}),
      listed as materialized (
        select each.created_at, each.id, each.bytes, ${query.byRisk ? riskOrder : 'null'} as risk from hits
         cross join lateral (select *, octet_length(document) as bytes from ${table}
                              where tenant_id = $1 and id = hits.id limit 1) as each
         where ${conditions.map((each) => each.sql).join(' and ')}),
      page as (select * from listed ${later} order by ${order} limit $2 offset $3)
      select string_agg(document, ',' order by ${order}) filter (where fits) as items,
             count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as "isCut",
             (select count(*) from listed) as total, exists (select from hits) as "hasHits",
             false as "isEstimate",
             (select is_cut from cut) as "isTooMany", ${lastOf(order)}
        from (select document, created_at, id, risk, ${isWithinPage('bytes', order)} as fits
                from page cross join lateral (
                  select document from ${table} where tenant_id = $1 and id = page.id limit 1) as one) as page`,
    values,
  };
}
