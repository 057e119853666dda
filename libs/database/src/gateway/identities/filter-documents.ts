// SQL by hand: sets of terms and pages by size, benchmarked.
import type { Database, NamedQuery } from '../../database.js';
import { isWithinPage } from '../page.js';
import { type DocumentPage, type DocumentQuery, readRendered } from './documents.js';
import {
  conditionsOf,
  counts,
  recordCondition,
  recordsOf,
  type Shared,
  type SharedFilter,
  sharedFiltersOf,
} from './filters.js';

export type FilteredResource = 'identity' | 'user';
export type FilteredQuery = DocumentQuery & SharedFilter;

/** Largest total that is counted, as many as a page has at most: each item is up to four lookups. */
export const maxFilteredTotal = 200;
/** Up to how many rows index ranges are compared, without reading the items. */
const maxCompared = 2_000;

/**
 * Returns a page of a tenant's users or identities that fulfil filters, all of which many may fulfil. It follows the
 * index of the filter that the fewest fulfil; users are in creation order, identities in that of their first record
 * that fulfils this filter. The position keeps the choice for the following pages.
 */
export async function filterDocuments(
  database: Database,
  tenantId: string,
  resource: FilteredResource,
  query: FilteredQuery,
): Promise<DocumentPage> {
  const along = query.after?.along ?? (await chooseOrder(database, tenantId, resource, query));
  const page = await readRendered(database, tenantId, filterQuery(tenantId, resource, query, along));
  return {
    ...page,
    total: Math.min(page.total, maxFilteredTotal),
    isEstimate: page.total > maxFilteredTotal,
    last: page.last && { ...page.last, along },
  };
}

/** An index range that contains all items of the list. */
interface Order {
  name: string;
  /** Selects `id` and `created_at`. A function, because PostgreSQL refuses parameters that a statement does not use. */
  rows: () => string;
  /** The status, selected as `first`, is before the creation time in the order. */
  isByStatus?: boolean;
  /** Absent if the rows are those of the resource itself. */
  shared?: Shared;
}

function ordersOf(
  resource: FilteredResource,
  query: FilteredQuery,
  shared: readonly Shared[],
  value: (item: unknown) => string,
): Order[] {
  const orders: Order[] = shared.map((each) => ({ name: each.name, rows: () => each.rows, shared: each }));
  const [table, only] = resource === 'identity' ? ['identities', ''] : ['source_records', `kind = 'user' and `];
  const rows = `select id, created_at, status as first from ${table} where ${only}tenant_id = $1`;
  // Not `=`, which would drop the column from the order: only the index of statuses has this order, also where PostgreSQL
  // has no statistics.
  const ofStatus = (one: string) => `${rows} and status >= ${one} and status <= ${one} order by status, created_at, id`;
  // The inner order keeps PostgreSQL from reading the whole list in creation order.
  const since = (time: string) => `${rows} and updated_at >= ${time} order by updated_at offset 0`;
  const { status, updatedSince } = query;
  if (status !== undefined) orders.push({ name: 'status', rows: () => ofStatus(value(status)), isByStatus: true });
  if (updatedSince) orders.push({ name: 'since', rows: () => since(value(updatedSince)) });
  return orders;
}

/** Returns the number of the order with the fewest rows, counted up to a bound. */
async function chooseOrder(
  database: Database,
  tenantId: string,
  resource: FilteredResource,
  query: FilteredQuery,
): Promise<number> {
  const values: unknown[] = [tenantId];
  const value = (item: unknown) => `$${values.push(item)}`;
  const orders = ordersOf(resource, query, sharedFiltersOf(query, value), value);
  if (orders.length === 1) return 0;
  const sizes = orders.map(
    ({ rows }) => `(select count(*) from (select from (${rows()}) as one limit ${maxCompared}) as counted)`,
  );
  const [row] = await database.read<{ sizes: number[] }>(tenantId, {
    name: ['orders', resource, ...orders.map(({ name }) => name)].join('-'),
    text: `select json_build_array(${sizes.join(', ')}) as sizes`,
    values,
    isInIndexOrder: query.status !== undefined,
  });
  const found = row?.sizes ?? [];
  return Math.max(0, found.indexOf(Math.min(...found)));
}

/**
 * Builds the statement of a page; each combination of filters has its own prepared statement. A page without a position
 * is among the rows that are counted. Documents are read last, for the items of the page only.
 */
export function filterQuery(
  tenantId: string,
  resource: FilteredResource,
  query: FilteredQuery,
  along: number,
): NamedQuery {
  const { limit, offset, after } = query;
  const values: unknown[] = [tenantId, limit, offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const shared = sharedFiltersOf(query, value);
  const orders = ordersOf(resource, query, shared, value);
  const order = orders[along] ?? orders[0];
  if (!order) throw new Error('a list without filters has no order');
  const columns = `${order.isByStatus ? 'found.first, ' : ''}found.created_at, found.id`;
  // The count needs it too, or PostgreSQL may read the whole table.
  const inOrder = `order by ${columns}`;
  const table = resource === 'identity' ? 'identities' : 'source_records';
  const shown = conditionsOf(resource, query, value).map(({ sql }) => sql);
  const rows = itemsOf(resource, order, shared, query.status, shown);
  const most = value(Math.max(maxFilteredTotal + 1, after ? 0 : limit + offset));
  const page = after
    ? `${rows} and (${columns}) > (${order.isByStatus ? `${value(query.status)}, ` : ''}${value(new Date(after.createdAt))}, ${value(after.id)}) ${inOrder}`
    : 'select * from counted order by created_at, id';
  const parts = [...orders.map(({ name }) => name), along, query.status === 'deleted' && 'deleted', after && 'after'];
  return {
    name: ['filtered', resource, ...parts.filter((each) => each !== false && each !== undefined)].join('-'),
    text: `with counted as materialized (${rows} ${inOrder} limit ${most})
      select string_agg(document, ',' order by created_at, id) filter (where fits) as items,
             count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as "isCut",
             (select count(*) from counted) as total,
             max(created_at) filter (where fits) as at,
             (array_agg(id order by created_at desc, id desc) filter (where fits))[1] as id
        from (select created_at, page.id, document, ${isWithinPage('bytes', 'created_at, page.id')} as fits
                from (${page} limit $2 offset $3) as page
               cross join lateral (
                 select document from ${table} where tenant_id = $1 and id = page.shown limit 1) as one) as page`,
    values,
    isInIndexOrder: order.isByStatus === true,
  };
}

/**
 * Selects the items that fulfil all filters. The resource is joined by its id after the conditions that need only keys or
 * the record: an item that others exclude is not read. It has no document, which PostgreSQL would copy to memoize it.
 * Laterals with a limit remain index lookups in tables without statistics.
 */
function itemsOf(
  resource: FilteredResource,
  { rows, shared: along }: Order,
  shared: readonly Shared[],
  status: string | undefined,
  shown: readonly string[],
): string {
  const others = shared.filter((each) => each !== along);
  const found = `select found.created_at, found.id, shown.id as shown, bytes from (${rows()}) as found`;
  if (resource === 'user') {
    const conditions = [...others.map(({ isTerm, matches }) => matches(isTerm ? 'found' : 'shown')), ...shown];
    return `${found}
      cross join lateral (
        select id, kind, status, updated_at, manager_id, connector_id, octet_length(document) as bytes
          from source_records where tenant_id = $1 and id = found.id limit 1) as shown
      where ${conditions.join(' and ')}`;
  }
  const identity = (id: string) => `
    cross join lateral (
      select id, status, updated_at, octet_length(document) as bytes from identities
       where tenant_id = $1 and id = ${id} limit 1) as shown`;
  const matching = (id: string) => others.map((each) => recordCondition(id, each, status).sql);
  if (!along) return `${found} ${identity('found.id')} where ${[...matching('found.id'), ...shown].join(' and ')}`;
  const isEarlier = ' and (own.created_at, own.id) < (found.created_at, found.id)';
  const conditions = [
    counts('own_status', status),
    ...matching('record.owner'),
    `not exists (${recordsOf('record.owner', along.matches, status, isEarlier)})`,
    ...shown,
  ];
  return `${found}
    cross join lateral (
      select identity_id as owner, status as own_status from source_records
       where tenant_id = $1 and id = found.id limit 1) as record
    ${identity('record.owner')} where ${conditions.join(' and ')}`;
}
