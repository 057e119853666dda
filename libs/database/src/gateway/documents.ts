import type { Database, NamedQuery } from '../database.js';
import { positionLevels } from '../directory/counters.js';
import { isWithinPage } from './page.js';
import { survivor } from './survivor.js';

export interface DocumentPage {
  /** JSON texts of the items, joined by commas, as they were rendered. */
  items: string;
  count: number;
  /** True if the page ended at the size limit before `limit`. */
  isCut: boolean;
  total: number;
  /** Position of the last item, if there is one. */
  last?: Position;
}

/** A position in a list: creation time in milliseconds, and the id as tie-breaker. */
export interface Position {
  createdAt: number;
  id: string;
  /** Number of the order that a list with filters follows. */
  along?: number;
}

export interface DocumentQuery {
  limit: number;
  offset: number;
  status?: string;
  updatedSince?: Date;
  after?: Position;
}

/** Up to this offset, an index scan is faster than locating the position. */
const shallow = 500;

const resources = {
  identity: {
    table: 'identities',
    only: '',
    id: survivor('select into_id from identity_redirects where tenant_id = $1 and id = $2'),
  },
  user: { table: 'source_records', only: `kind = 'user' and `, id: '$2' },
  account: { table: 'source_records', only: `kind = 'account' and `, id: '$2' },
  machine_identity: { table: 'source_records', only: `kind = 'machine_identity' and `, id: '$2' },
} as const;

/** The resources with maintained totals and positions. */
type CountedResource = 'identity' | 'user';

/**
 * Reads a page of a tenant's public documents in creation order, by one index range scan. PostgreSQL joins the texts,
 * which are not parsed here. The total is a maintained counter, or a count if only changes are requested.
 */
export async function findDocuments(
  database: Database,
  tenantId: string,
  resource: CountedResource,
  query: DocumentQuery,
): Promise<DocumentPage> {
  const [row] = await database.read<{
    items: string | null;
    count: number;
    isCut: boolean;
    total: number;
    at: Date | null;
    id: string;
  }>(tenantId, pageQuery(tenantId, resource, query));
  if (!row) throw new Error('the page query returned no row');
  return {
    items: row.items ?? '',
    count: row.count,
    isCut: row.isCut,
    total: row.total,
    last: row.at === null ? undefined : { createdAt: row.at.getTime(), id: row.id },
  };
}

/**
 * Builds the statement of a page. Each combination of filters has its own prepared statement, so that it is planned for
 * its index.
 */
export function pageQuery(tenantId: string, resource: CountedResource, query: DocumentQuery): NamedQuery {
  const { table, only } = resources[resource];
  const deep = query.offset > shallow && query.updatedSince === undefined && query.after === undefined;
  const values: unknown[] = [tenantId, query.limit, query.offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const status = query.status === undefined ? `status <> 'deleted'` : `status = ${value(query.status)}`;
  const since = query.updatedSince === undefined ? '' : ` and updated_at >= ${value(query.updatedSince)}`;
  const filter = `${only}tenant_id = $1 and ${status}${since}`;
  const after =
    query.after === undefined
      ? ''
      : ` and (created_at, id) > (${value(new Date(query.after.createdAt))}, ${value(query.after.id)})`;
  const total = since
    ? `select count(*) from ${table} where ${filter}`
    : `select coalesce(sum(count), 0)::bigint from directory_counters
        where tenant_id = $1 and resource = '${resource}' and ${status}`;
  const flags = [query.status, since || undefined, query.after, deep || undefined]
    .map((flag) => (flag === undefined ? 0 : 1))
    .join('');
  const reach = deep
    ? ' and created_at >= (select at from start) and (created_at, id) >= (select at, id from start)'
    : '';
  const slice = `order by created_at, id limit $2 ${deep ? '' : 'offset $3'}`;
  const rows = `${table} where ${filter}${after}${reach} ${slice}`;
  // Changes are sorted by id and time only, because their documents would not fit into memory.
  const page = since
    ? `unnest(array(select id from ${rows})) as place (place)
        cross join lateral (select document, created_at, id from ${table} where id = place limit 1) as found`
    : rows;
  return {
    name: `documents-${resource}-${flags}`,
    text: `
      ${deep ? `with recursive ${findPlace(resource, status)}, ${findStart(table, filter)}` : ''}
      select string_agg(document, ',' order by created_at, id) filter (where fits) as items,
             count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as "isCut", (${total}) as total,
             max(created_at) filter (where fits) as at,
             (array_agg(id order by created_at desc, id desc) filter (where fits))[1] as id
        from (select document, created_at, id, ${isWithinPage('octet_length(document)', 'created_at, id')} as fits
                from (select document, created_at, id from ${page}) as page) as page`,
    values,
  };
}

/**
 * Finds the position of the `$3`th item: descends from the widest buckets of creation time to one of 64 ms, each level
 * with at most 64 siblings; the remaining offset is within one 64 ms bucket. In a list of a million, an offset of 900
 * 000 costs 3 ms instead of 300, for any status.
 */
function findPlace(resource: CountedResource, status: string): string {
  return `descent (level, first, last, skip) as (
      select ${positionLevels}, 0::bigint, ${Number.MAX_SAFE_INTEGER}::bigint, $3::bigint
      union all
      select above.level - 1, below.bucket * 64, below.bucket * 64 + 63, below.skip
        from descent above cross join lateral (
          select bucket, above.skip - upto + here as skip
            from (select bucket, sum(count)::bigint as here, (sum(sum(count)) over (order by bucket))::bigint as upto
                    from list_positions
                   where tenant_id = $1 and resource = '${resource}' and level = above.level - 1
                     and bucket between above.first and above.last and ${status}
                   group by bucket) as siblings
           where above.skip < upto order by bucket limit 1) as below
       where above.level > 0),
    place as (select 'epoch'::timestamptz + first * interval '1 millisecond' as since, skip from descent where level = 0)`;
}

/** Finds the first item of the page. The remaining offset is skipped in the index, without reading documents. */
function findStart(table: string, filter: string): string {
  return `start as (
      select created_at as at, id from ${table} where ${filter} and created_at >= (select since from place)
       order by created_at, id limit 1 offset (select skip from place))`;
}

/**
 * Finds a document by its id, including deleted ones. The id of a merged identity finds the one that has its records.
 * `offset 0` keeps kind and tenant out of the subquery: without fresh statistics, PostgreSQL may choose their index
 * over the primary key and read all rows of the tenant.
 */
export async function findDocument(
  database: Database,
  tenantId: string,
  resource: keyof typeof resources,
  id: string,
): Promise<string | undefined> {
  const { table, only, id: found } = resources[resource];
  const [row] = await database.read<{ document: string }>(tenantId, {
    name: `document-${resource}`,
    text: `select document from (select * from ${table} where id = ${found} offset 0) as found where ${only}tenant_id = $1`,
    values: [tenantId, id],
  });
  return row?.document;
}
