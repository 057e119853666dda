// SQL by hand: pages of documents by size, in one round trip, benchmarked.
import pg from 'pg';
import type { Database, NamedQuery } from '../../database.js';
import { positionLevels } from '../../directory/counters.js';
import { isWithinPage } from '../page.js';
import { survivor } from './survivor.js';

export interface DocumentPage {
  /** JSON texts of the items, as they were rendered, joined by commas. */
  items: string;
  count: number;
  /** True if the page ended before `limit`, at the size limit or after all that one request examines. */
  isCut: boolean;
  total: number;
  /** True if there are more items than were counted. */
  isEstimate?: boolean;
  /** Position of the last item, if there is one. */
  last?: Position;
  /** The tenant's position as of which the page was read; not of lists with filters. */
  tenantPosition?: string;
}

/** Reads a page from a statement that renders it, with the time and the id of its last item. */
export async function readRendered<Page extends DocumentPage>(
  database: Database,
  tenantId: string,
  query: NamedQuery,
): Promise<Page> {
  type Row = Page & { items: string | null; at: Date | null; id: string; risk: number | null };
  const [row] = await database.read<Row>(tenantId, query);
  if (!row) throw new Error('the page query returned no row');
  const { at, id, risk, items } = row;
  const last = at === null ? undefined : { createdAt: at.getTime(), id, ...(risk !== null && { risk }) };
  return { ...row, items: items ?? '', last };
}

/** Selects the position of the last item of a page for `readRendered`. */
export function lastOf(order: string): string {
  const last = (column: string) =>
    `(array_agg(${column} order by ${order.replaceAll(/\w+/g, '$& desc')}) filter (where fits))[1]`;
  const risk = order.startsWith('risk') ? `(- ${last('risk')})::float` : 'null::float';
  return `${last('created_at')} as at, ${last('id')} as id, ${risk} as risk`;
}

/** A position in a list: creation time in milliseconds, and the id as tie-breaker. */
export interface Position {
  createdAt: number;
  id: string;
  /** Number of the order that a list with filters follows. */
  along?: number;
  /** True if the words of a search were found with typos. */
  isSpelled?: true;
  /** Risk score of the last item in a list by risk; -1 if it has none. */
  risk?: number;
}

export interface DocumentQuery {
  limit: number;
  offset: number;
  status?: string;
  updatedSince?: Date;
  after?: Position;
  /** False if `last` is only needed for a page that is cut. */
  hasPositions?: boolean;
}

/** Up to this offset, an index scan is faster than locating the position. */
const shallow = 500;
/** Largest number of changes, or of items without one, that is counted. */
export const maxCountedChanges = 5_000;
/** Up to how many changes are sorted for each page. More are looked for in creation order first. */
const maxSortedChanges = 2_000;
/** The total of a statement that did not count to the end. */
const uncounted = -1;

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
 * Reads a page of a tenant's public documents in creation order, by one index range scan. The documents are not parsed.
 * The total is a maintained counter, or a bounded count if only changes are requested.
 */
export async function findDocuments(
  database: Database,
  tenantId: string,
  resource: CountedResource,
  query: DocumentQuery,
): Promise<DocumentPage> {
  const rows = await database.readTexts(tenantId, pageQuery(tenantId, resource, query));
  const documents: string[] = [];
  for (const [document] of rows) if (document) documents.push(document);
  const isCut = documents.length < rows.length;
  if (isCut && query.hasPositions === false) {
    return findDocuments(database, tenantId, resource, Object.assign({}, query, { hasPositions: true }));
  }
  const [first] = rows;
  const [, counted, tenantPosition] =
    first ?? (await database.readTexts(tenantId, totalQuery(tenantId, resource, query)))[0] ?? [];
  const isEstimate = Number(counted) === uncounted;
  const [, , , at, id] = rows[documents.length - 1] ?? [];
  return {
    items: documents.join(','),
    count: documents.length,
    isCut,
    total: isEstimate ? maxCountedChanges : Number(counted),
    isEstimate,
    tenantPosition: tenantPosition ?? undefined,
    last: at && id ? { createdAt: timeOf(at).getTime(), id } : undefined,
  };
}

const timeOf: (text: string) => Date = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/**
 * Builds the statement of a page: document (null beyond the size limit), total, position of the tenant, and if requested
 * that of the item. Each combination of filters has its own prepared statement, so that it is planned for its index.
 */
export function pageQuery(tenantId: string, resource: CountedResource, query: DocumentQuery): NamedQuery {
  const { limit, offset, status, updatedSince, after, hasPositions = true } = query;
  const values: unknown[] = [tenantId, limit, offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const list = listOf(resource, query, value);
  const isDeep = offset > shallow && updatedSince === undefined && after === undefined;
  const rest = after
    ? ` and (${list.order}, id) > (${list.start}${value(new Date(after.createdAt))}, ${value(after.id)})`
    : '';
  const next = `${list.table} where ${list.where}${rest} order by ${list.order}, id limit $2 offset $3`;
  const [before, rows] = updatedSince ? changedRows(list, rest) : isDeep ? deepRows(list) : ['', next];
  return {
    name: `documents-${nameOf(resource, [status, updatedSince, after, isDeep || undefined, hasPositions || undefined])}`,
    text: `${before}
      select case when fits then document end as document, (${list.total}) as total, (${positionOfTenant}) as position${hasPositions ? ', created_at, id' : ''}
        from (select document, created_at, id, ${isWithinPage('octet_length(document)', 'created_at, id')} as fits
                from (select document, created_at, id from ${rows}) as page) as page
       order by created_at, id`,
    values,
    // Changes are sorted.
    isInIndexOrder: updatedSince === undefined,
  };
}

/** Builds the statement of the total beside an empty page. */
function totalQuery(tenantId: string, resource: CountedResource, query: DocumentQuery): NamedQuery {
  const values: unknown[] = [tenantId];
  const { total, counts } = listOf(resource, query, (item) => `$${values.push(item)}`);
  return {
    name: `total-${nameOf(resource, [query.status, query.updatedSince])}`,
    text: `${counts && `with ${counts}`} select null, (${total}), (${positionOfTenant})`,
    values,
  };
}

function nameOf(resource: string, parts: readonly unknown[]): string {
  return `${resource}-${parts.map((part) => (part === undefined ? 0 : 1)).join('')}`;
}

type List = ReturnType<typeof listOf>;

/** Returns the parts of a list that its statements have in common. `$1` is the tenant, `$2` the limit, `$3` the offset. */
function listOf(
  resource: CountedResource,
  { status: given, updatedSince }: DocumentQuery,
  value: (item: unknown) => string,
) {
  const { table, only } = resources[resource];
  const wanted = given === undefined ? undefined : value(given);
  const status = wanted === undefined ? `status <> 'deleted'` : `status = ${wanted}`;
  const where = `${only}tenant_id = $1 and ${status}`;
  const all = `select coalesce(sum(count), 0)::bigint from directory_counters
        where tenant_id = $1 and resource = '${resource}' and ${status}`;
  // The index that is followed has the columns of `order` and the id; `start` are the values before the creation time.
  const list = { resource, table, status, where, since: '', order: 'created_at', start: '', counts: '', total: all };
  if (updatedSince) {
    const since = value(updatedSince);
    // Of more changes than are counted, the total is what the items without one leave of the maintained counter.
    const total = `select case when changed.count <= ${maxCountedChanges} then changed.count
                        when (select count from unchanged) <= ${maxCountedChanges} then (${all}) - (select count from unchanged)
                        else ${uncounted} end from changed`;
    return { ...list, since, counts: countChanges(table, where, since), total };
  }
  if (wanted === undefined) return list;
  // Not `=`: PostgreSQL drops a constant column from the order, and could then choose another index.
  const ofStatus = `${only}tenant_id = $1 and status >= ${wanted} and status <= ${wanted}`;
  return { ...list, where: ofStatus, order: 'status, created_at', start: `${wanted}, ` };
}

/** Counts the items with and without a change up to a bound; two common table expressions. */
function countChanges(table: string, where: string, since: string): string {
  const count = (condition: string, order: string) => `materialized (
      select count(*) from (select from ${table} where ${where} and ${condition} order by ${order} limit ${maxCountedChanges + 1}) as counted)`;
  return `changed as ${count(`updated_at >= ${since}`, 'updated_at')},
    unchanged as ${count(`updated_at < ${since}`, 'updated_at desc')}`;
}

/**
 * Sorts the changes, or if there are many, reads the list in creation order until it has a page of them. Only id and time
 * are sorted, because the documents would not fit into memory. Returns the rows after common table expressions.
 */
function changedRows({ table, where, since, counts }: List, rest: string): string[] {
  const slice = 'order by created_at, id limit $2 offset $3';
  return [
    `with ${counts}, near as materialized (
      select id, created_at
        from (select id, created_at, updated_at from ${table} where ${where}${rest}
               order by created_at, id limit ${maxSortedChanges} + 4 * ($2::bigint + $3::bigint)) as first
       where updated_at >= ${since} ${slice})`,
    // The inner order, behind `offset 0`, keeps PostgreSQL from reading the whole list in creation order.
    `unnest(case when (select count from changed) > ${maxSortedChanges} and (select count(*) from near) = $2
               then array(select id from near order by created_at, id)
               else array(select id from (
                 select id, created_at from ${table} where ${where} and updated_at >= ${since}${rest} order by updated_at offset 0
               ) as changes ${slice}) end) as place (place)
      cross join lateral (
        select document, created_at, id from ${table} where tenant_id = $1 and id = place limit 1) as found`,
  ];
}

/**
 * Finds the position of the `$3`th item: descends from the widest buckets of creation time to one of 64 ms, each level
 * with at most 64 siblings. The remaining offset is skipped in the index, without reading documents. In a list of a
 * million, an offset of 900 000 costs 3 ms instead of 300, for any status. Returns the same as `changedRows`.
 */
function deepRows({ resource, table, where, status, order, start }: List): string[] {
  return [
    `with recursive descent (level, first, last, skip) as (
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
      place as (select 'epoch'::timestamptz + first * interval '1 millisecond' as since, skip from descent where level = 0),
      start as (
        select created_at as at, id from ${table}
         where ${where} and (${order}) >= (${start}(select since from place))
         order by ${order}, id limit 1 offset (select skip from place))`,
    `${table} where ${where} and created_at >= (select at from start)
        and (${order}, id) >= (${start}(select at from start), (select id from start))
      order by ${order}, id limit $2`,
  ];
}

/**
 * Finds a document by its id, including deleted ones. The id of a merged identity finds the one that has its records.
 */
export async function findDocument(
  database: Database,
  tenantId: string,
  resource: keyof typeof resources,
  id: string,
): Promise<string | undefined> {
  const [row] = await database.readTexts(tenantId, documentQuery(tenantId, resource, id));
  return row?.[0] ?? undefined;
}

/**
 * Builds the statement of one document. `offset 0` keeps the kind out of the subquery: without fresh statistics,
 * PostgreSQL may choose its index over the primary key and read all rows of the tenant.
 */
export function documentQuery(tenantId: string, resource: keyof typeof resources, id: string): NamedQuery {
  const { table, only, id: found } = resources[resource];
  return {
    name: `document-${resource}`,
    text: `select document from (select * from ${table} where tenant_id = $1 and id = ${found} offset 0) as found
            where ${only}true`,
    values: [tenantId, id],
  };
}

/**
 * Selects the position of tenant `$1`, a text that differs after every change of its documents, totals and lists: the
 * transaction of the change moves the sequence or its time.
 */
const positionOfTenant = `select last || '-' || coalesce((extract(epoch from last_at) * 1000)::bigint, 0)
  from event_sequences where tenant_id = $1`;

/** Reads the position of a tenant. A page that is read afterwards is as of this position, or newer. */
export async function findTenantPosition(database: Database, tenantId: string): Promise<string | undefined> {
  const [row] = await database.readTexts(tenantId, {
    name: 'tenant-position',
    text: positionOfTenant,
    values: [tenantId],
    isOnPrimary: true,
  });
  return row?.[0] ?? undefined;
}
