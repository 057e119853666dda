// SQL by hand: sets of terms and pages by size, benchmarked.
import type { Database, NamedQuery } from '../../database.js';
import { isWithinPage } from '../page.js';
import { type DocumentPage, lastOf, readRendered } from './documents.js';
import {
  conditionsOf,
  counts,
  nameOf,
  type RecordMatch,
  recordCondition,
  recordsOf,
  type Shared,
  sharedFiltersOf,
  type Value,
} from './filters.js';
import { maxCompared, maxFound, searchesOf, searchMatchesOf, textMatch, textSet } from './search-sets.js';
import { asTyped, textRanges } from './search-text.js';
import { type HitsPage, hitsQuery, type SearchQuery } from './sorted-hits.js';

export type FilteredResource = 'identity' | 'user';

/** Largest total that is counted, as many as a page has at most: each item is up to four lookups. */
export const maxFilteredTotal = 200;
/** Rows that a page examines besides its items. Up to as many are counted to compare filters. */
export const maxExamined = maxFound;
/** Orders beside the index ranges of the filters: the records of a text by their ids, and the sorted changes. */
const byText = 98;
const changes = 99;

/**
 * Returns a page of a tenant's users or identities that fulfil filters, all of which many may fulfil. It follows the
 * index of the filter that the fewest fulfil; users are in creation order, identities in that of their first record
 * that fulfils this filter. The position keeps the choice for the following pages. A page examines a bounded number of
 * rows, so it may be short, or empty, although more follow.
 */
export async function filterDocuments(
  database: Database,
  tenantId: string,
  resource: FilteredResource,
  query: SearchQuery,
): Promise<DocumentPage> {
  const along = query.after?.along ?? (await chooseOrder(database, tenantId, resource, query));
  const page = await readRendered<HitsPage>(database, tenantId, filterQuery(tenantId, resource, query, along));
  // There are more changes, or records with this text, since the first page.
  if (page.isTooMany) return filterDocuments(database, tenantId, resource, { ...query, after: undefined });
  const last = page.last && { ...page.last, along, ...(query.spellings && { isSpelled: true as const }) };
  if (along === changes) return { ...page, last };
  const isEstimate = page.isEstimate || page.total > maxFilteredTotal;
  return { ...page, total: Math.min(page.total, maxFilteredTotal), isEstimate, last };
}

const tables = { identity: ['identities', ''], user: ['source_records', `kind = 'user' and `] } as const;

function changesOf(resource: FilteredResource, time: string): string {
  const [table, only] = tables[resource];
  return `select id as record_id from ${table} where ${only}tenant_id = $1 and updated_at >= ${time} order by updated_at`;
}

/** Rows among which all items of the list are. */
interface Order {
  name: string;
  /** Selects `id` and `created_at`. A function, because PostgreSQL refuses parameters that a statement does not use. */
  rows: () => string;
  /** The status, selected as `first`, is before the creation time in the order. */
  isByStatus?: boolean;
  /** The rows have no creation time. */
  isById?: boolean;
  /** The filter that the rows fulfil; absent if they are those of the resource itself. */
  match?: RecordMatch;
}

/** Returns the index ranges of a list, of which the last one always contains all items. */
function ordersOf(
  resource: FilteredResource,
  { status }: SearchQuery,
  shared: readonly Shared[],
  value: Value,
): Order[] {
  const [table, only] = tables[resource];
  const rows = `select id, created_at, status as first from ${table} where ${only}tenant_id = $1`;
  // Not `=`, which would drop the column from the order: only the index of statuses has this order, also where PostgreSQL
  // has no statistics.
  const ofStatus = (one: string) => `${rows} and status >= ${one} and status <= ${one}`;
  return [
    ...shared.map((each) => ({ name: each.name, rows: () => each.rows, match: each })),
    status === undefined
      ? { name: 'all', rows: () => `${rows} and status <> 'deleted'` }
      : { name: 'status', rows: () => ofStatus(value(status)), isByStatus: true },
  ];
}

/** Returns the records of the text of a search as an order, with the common table expressions that it needs. */
function textOrderOf(query: SearchQuery, value: Value) {
  const ranges = textRanges(query.text ?? '', query.spellings);
  const { before = [], sql, isCut } = textSet(ranges, value, maxCompared);
  const rows = `of_text as materialized (select record_id as id from (${sql}) as found limit (select case when ${isCut} then 0 end))`;
  const order: Order = {
    name: 'text',
    rows: () => `select id, 'epoch'::timestamptz as created_at from of_text`,
    isById: true,
    match: textMatch(ranges, value),
  };
  return { order, before: `${[...before, rows].join(', ')}, `, isCut };
}

/**
 * Returns the number of the order with the fewest rows, counted up to a bound: a filter that few fulfil, else the text of
 * a search, else any filter.
 */
async function chooseOrder(
  database: Database,
  tenantId: string,
  resource: FilteredResource,
  query: SearchQuery,
): Promise<number> {
  const values: unknown[] = [tenantId];
  const value = (item: unknown) => `$${values.push(item)}`;
  const given = ordersOf(resource, query, sharedFiltersOf(query, value), value);
  const ranges = given.map((order, along) => ({ along, ...order })).filter(({ name }) => name !== 'all');
  const { updatedSince, text } = query;
  if (text === undefined && updatedSince === undefined && ranges.length < 2) return 0;
  if (updatedSince) {
    ranges.push({ name: 'changes', along: changes, rows: () => changesOf(resource, value(updatedSince)) });
  }
  const sizes = ranges.map(
    ({ rows }) => `(select count(*) from (select from (${rows()}) as one limit ${maxExamined}) as counted)`,
  );
  const found = text === undefined ? undefined : textOrderOf(query, value);
  const [row] = await database.read<{ sizes: number[]; hasText: boolean }>(tenantId, {
    name: nameOf('orders', resource, ...ranges.map(({ name }) => name), found && textNameOf(query)),
    text: `${found ? `with ${found.before.slice(0, -2)}` : ''}
      select json_build_array(${sizes.join(', ')}) as sizes, ${found ? `not (${found.isCut})` : 'false'} as "hasText"`,
    values,
    isInIndexOrder: query.status !== undefined,
  });
  const fewest = Math.min(...(row?.sizes ?? []));
  if (fewest < maxExamined) return ranges[row?.sizes.indexOf(fewest) ?? 0]?.along ?? 0;
  return row?.hasText ? byText : 0;
}

/**
 * Builds the statement of a page; each combination of filters has its own prepared statement. A page without a position
 * is among the rows that are counted. Documents are read last, for the items of the page only.
 */
export function filterQuery(
  tenantId: string,
  resource: FilteredResource,
  query: SearchQuery,
  along: number,
): NamedQuery {
  const { limit, offset, after, status, text, updatedSince } = query;
  if (along === changes && updatedSince) {
    const set = (value: Value) => ({ name: 'changes', sql: changesOf(resource, value(updatedSince)), isOfItems: true });
    return hitsQuery(tenantId, resource, query, set, (value) => searchMatchesOf(query, value));
  }
  const values: unknown[] = [tenantId, limit, offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const shared = sharedFiltersOf(query, value);
  const searches = searchesOf(query);
  const ofText = along === byText && text !== undefined ? textOrderOf(query, value) : undefined;
  const orders = ordersOf(resource, query, shared, value);
  const order = ofText?.order ?? orders[along] ?? orders[0];
  if (!order) throw new Error('a list without filters has no order');
  const searched = searches.filter(({ isText }) => !(ofText && isText)).flatMap(({ match }) => match?.(value) ?? []);
  const matches = [...shared.filter((each) => each !== order.match), ...searched];
  const named = (['first', 'created_at', 'id'] as const).slice(order.isByStatus ? 0 : order.isById ? 2 : 1);
  const columns = (of: string) => named.map((each) => `${of}.${each}`).join(', ');
  const rows = order.rows();
  const begin = { first: status, created_at: after && new Date(after.createdAt), id: after?.id };
  const place = after ? `(${columns('one')}) > (${named.map((each) => value(begin[each])).join(', ')})` : 'true';
  const rest = (...conditions: string[]) =>
    `select * from (${rows}) as one where ${conditions.join(' and ')} order by ${columns('one')}`;
  const examined = value(maxExamined + limit + offset);
  const most = value(Math.max(maxFilteredTotal + 1, after ? 0 : limit + offset));
  const [table] = tables[resource];
  const shown = conditionsOf(resource, query, value).map(({ sql }) => sql);
  // The count needs the order too, or PostgreSQL may read the whole table.
  const items = (from: string) =>
    `${itemsOf(resource, order, `${from} limit ${examined}`, matches, status, shown)} order by ${columns('found')}`;
  const isShort = 'page.count < $2 and not page.is_cut';
  const page = after ? items(rest(place)) : 'select * from counted order by created_at, id';
  const parts = [...orders.map(({ name }) => name), ...searched.map(({ name }) => name), updatedSince && 'since'];
  const cases = [ofText ? textNameOf(query) : along, status === 'deleted' && 'deleted', after && 'after'];
  return {
    name: nameOf('filtered', resource, ...parts, ...cases),
    text: `with ${ofText?.before ?? ''}counted as materialized (${items(rest('true'))} limit ${most}),
      ended as materialized (${rest('true')} limit 1 offset ${examined} - 1),
      page as materialized (
        select string_agg(document, ',' order by created_at, id) filter (where fits) as items,
               count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as is_cut,
               ${lastOf('created_at, id')}
          from (select created_at, page.id, document, ${isWithinPage('bytes', 'created_at, page.id')} as fits
                  from (${page} limit $2 offset $3) as page
                 cross join lateral (
                   select document from ${table} where tenant_id = $1 and id = page.shown limit 1) as one) as page)
      select items, count, is_cut or edge.id is not null as "isCut", (select count(*) from counted) as total,
             (select count(*) from counted) < ${most} and exists (select from ended) as "isEstimate",
             coalesce(edge.created_at, at) as at, coalesce(edge.id, page.id) as id, risk,
             ${ofText?.isCut ?? 'false'} as "isTooMany"
        from page
        left join lateral (${after ? `${rest(place, isShort)} limit 1 offset ${examined} - 1` : `select * from ended where ${isShort} limit 1`}) as edge on true`,
    values,
    isInIndexOrder: order.match === undefined,
  };
}

/** Identifies the form of a text in a statement. */
function textNameOf({ text = '', spellings }: SearchQuery): string {
  return spellings ? 'spelled' : `text-${asTyped(text).length}`;
}

/**
 * Selects the items that fulfil all filters. The resource is joined by its id after the conditions that need only keys or
 * the record: an item that others exclude is not read. It has no document, which PostgreSQL would copy to memoize it.
 * Laterals with a limit remain index lookups in tables without statistics.
 */
function itemsOf(
  resource: FilteredResource,
  { match: along, isById }: Order,
  rows: string,
  matches: readonly (RecordMatch & { isTerm?: boolean })[],
  status: string | undefined,
  shown: readonly string[],
): string {
  const found = `select found.*, shown.id as shown, bytes from (${rows}) as found`;
  if (resource === 'user') {
    const row = (isTerm = false) => (isTerm && !isById ? 'found' : 'shown');
    const conditions = [...matches.map((each) => each.matches(row(each.isTerm))), ...shown];
    return `${found}
      cross join lateral (
        select id, kind, status, created_at, updated_at, manager_id, connector_id, search_terms,
               octet_length(document) as bytes
          from source_records where tenant_id = $1 and id = found.id limit 1) as shown
      where ${conditions.join(' and ')}`;
  }
  const identity = (id: string) => `
    cross join lateral (
      select id, status, updated_at, octet_length(document) as bytes from identities
       where tenant_id = $1 and id = ${id} limit 1) as shown`;
  const matching = (id: string) => matches.map((each) => recordCondition(id, each, status).sql);
  if (!along) return `${found} ${identity('found.id')} where ${[...matching('found.id'), ...shown].join(' and ')}`;
  const own = along.ofDeleted ? 'deleted' : status;
  const isEarlier = isById ? 'own.id < found.id' : '(own.created_at, own.id) < (found.created_at, found.id)';
  const conditions = [
    counts('own_status', own),
    ...matching('record.owner'),
    `not exists (${recordsOf('record.owner', along.matches, own, ` and ${isEarlier}`)})`,
    ...shown,
  ];
  return `${found}
    cross join lateral (
      select identity_id as owner, status as own_status from source_records
       where tenant_id = $1 and id = found.id limit 1) as record
    ${identity('record.owner')} where ${conditions.join(' and ')}`;
}
