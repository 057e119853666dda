import type { Database, NamedQuery } from '../database.js';
import type { DocumentPage, DocumentQuery } from './documents.js';
import { isWithinPage } from './page.js';
import { conditionsOf } from './record-filter.js';
import {
  counts,
  recordsOf,
  type Shared,
  type SharedFilter,
  sharedCondition,
  sharedFiltersOf,
} from './shared-filters.js';

export type FilteredResource = 'identity' | 'user';
export type FilteredQuery = DocumentQuery & SharedFilter;

export interface FilteredPage extends DocumentPage {
  /** True if there are more items than were counted. */
  isEstimate: boolean;
}

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
): Promise<FilteredPage> {
  const along = query.after?.along ?? (await chooseOrder(database, tenantId, resource, query));
  const [row] = await database.read<
    Omit<FilteredPage, 'items' | 'last' | 'isEstimate'> & { items: string | null; at: Date | null; id: string }
  >(tenantId, filterQuery(tenantId, resource, query, along));
  if (!row) throw new Error('the page query returned no row');
  const { items, at, id, total, ...rest } = row;
  return {
    ...rest,
    items: items ?? '',
    total: Math.min(total, maxFilteredTotal),
    isEstimate: total > maxFilteredTotal,
    last: at === null ? undefined : { createdAt: at.getTime(), id, along },
  };
}

/** An index range that contains all items of the list. */
interface Order {
  name: string;
  /** Selects `record_id` and `created_at`. A function, because PostgreSQL refuses parameters that a statement does not use. */
  rows: () => string;
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
  const rows = `select id as record_id, created_at from ${table} where ${only}tenant_id = $1`;
  const { status, updatedSince } = query;
  if (status !== undefined) orders.push({ name: 'status', rows: () => `${rows} and status = ${value(status)}` });
  if (updatedSince) {
    // The inner order keeps PostgreSQL from reading the whole list in creation order.
    const since = () => `${rows} and updated_at >= ${value(updatedSince)} order by updated_at offset 0`;
    orders.push({ name: 'since', rows: since });
  }
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
  const [row] = await database.read<{ sizes: number[] }>(tenantId, {
    name: ['orders', resource, ...orders.map(({ name }) => name)].join('-'),
    text: `select json_build_array(${orders.map(sizeOf).join(', ')}) as sizes`,
    values,
  });
  const sizes = row?.sizes ?? [];
  return Math.max(0, sizes.indexOf(Math.min(...sizes)));
}

function sizeOf({ rows }: Order): string {
  return `(select count(*) from (select from (${rows()}) as one limit ${maxCompared}) as counted)`;
}

/** The count needs it too, or PostgreSQL may read the whole table. */
const inOrder = 'order by found.created_at, found.record_id';

/** Builds the statement of a page; each combination of filters has its own prepared statement. */
export function filterQuery(
  tenantId: string,
  resource: FilteredResource,
  query: FilteredQuery,
  along: number,
): NamedQuery {
  const values: unknown[] = [tenantId, query.limit, query.offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const shared = sharedFiltersOf(query, value);
  const orders = ordersOf(resource, query, shared, value);
  const order = orders[along] ?? orders[0];
  if (!order) throw new Error('a list without filters has no order');
  const others = shared.filter((each) => each !== order.shared).map((each) => sharedCondition(resource, each, 'shown'));
  const conditions = conditionsOf(resource, query, value);
  const where = [...conditions, ...others].map(({ sql }) => sql).join(' and ');
  const from = `from (${order.rows()}) as found ${joinOf(resource, order.shared)} ${where}`;
  const after = query.after
    ? `and (found.created_at, found.record_id) > (${value(new Date(query.after.createdAt))}, ${value(query.after.id)})`
    : '';
  const names = orders.map(({ name }) => name).join('-');
  return {
    name: `filtered-${resource}-${names}-${along}${after && '-after'}`,
    text: `
      select string_agg(document, ',' order by created_at, id) filter (where fits) as items,
             count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as "isCut",
             (select count(*) from (select ${from} ${inOrder} limit ${maxFilteredTotal + 1}) as counted) as total,
             max(created_at) filter (where fits) as at,
             (array_agg(id order by created_at desc, id desc) filter (where fits))[1] as id
        from (select document, created_at, id, ${isWithinPage('octet_length(document)', 'created_at, id')} as fits
                from (select shown.document, found.created_at, found.record_id as id ${from} ${after}
                       ${inOrder} limit $2 offset $3) as page) as page`,
    values,
  };
}

/** Joins the resource to each row by its id. Laterals with a limit remain index lookups in tables without statistics. */
function joinOf(resource: FilteredResource, shared: Shared | undefined): string {
  const byId = (table: string, id: string) =>
    `cross join lateral (select * from ${table} where id = ${id} limit 1) as shown where`;
  if (resource === 'user') return byId('source_records', 'found.record_id');
  if (!shared) return byId('identities', 'found.record_id');
  const earlier = ' and (own.created_at, own.id) < (found.created_at, found.record_id)';
  return `cross join lateral (select identity_id as owner, status as own_status from source_records
                               where id = found.record_id limit 1) as record
    ${byId('identities', 'record.owner')} ${counts('own_status', 'shown.status')}
      and not exists (${recordsOf('shown', shared.matches, earlier)}) and`;
}
