import type { Database, NamedQuery } from '../database.js';
import { positionLevels } from '../directory/counters.js';

export interface DocumentPage {
  /** The items' JSON texts, joined by commas, as they were rendered. */
  items: string;
  count: number;
  total: number;
  /** Where the page ended, if it is not empty. */
  last?: Position;
}

/** A place in a list: creation time in milliseconds, and the id that breaks ties. */
export interface Position {
  createdAt: number;
  id: string;
}

export interface DocumentQuery {
  limit: number;
  offset: number;
  status?: string;
  updatedSince?: Date;
  after?: Position;
}

/** Up to here, walking over the index is quicker than finding the place. */
const shallow = 500;

const resources = {
  identity: {
    table: 'identities',
    only: '',
    id: 'coalesce((select into_id from identity_redirects where tenant_id = $1 and id = $2), $2)',
  },
  user: { table: 'source_records', only: `kind = 'user' and `, id: '$2' },
} as const;

/**
 * One page of the public documents of a tenant, in the order they were created. It is one index range scan whose texts are
 * joined by PostgreSQL and never parsed here; the total is a maintained counter, or a count where only changes are asked for.
 */
export async function findDocuments(
  database: Database,
  tenantId: string,
  resource: keyof typeof resources,
  query: DocumentQuery,
): Promise<DocumentPage> {
  const [row] = await database.read<{
    items: string | null;
    count: number;
    total: number;
    at: Date | null;
    id: string;
  }>(tenantId, pageQuery(tenantId, resource, query));
  if (!row) throw new Error('a page of documents without a row');
  return {
    items: row.items ?? '',
    count: row.count,
    total: row.total,
    last: row.at === null ? undefined : { createdAt: row.at.getTime(), id: row.id },
  };
}

/** The statement of a page. Each combination of filters is one of its own, so that each is planned for its index. */
export function pageQuery(tenantId: string, resource: keyof typeof resources, query: DocumentQuery): NamedQuery {
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
  return {
    name: `documents-${resource}-${flags}`,
    text: `
      ${deep ? `with recursive ${findPlace(resource, status)}, ${findStart(table, filter)}` : ''}
      select string_agg(document, ',' order by created_at, id) as items, count(*) as count, (${total}) as total,
             max(created_at) as at, (array_agg(id order by created_at desc, id desc))[1] as id
        from (select document, created_at, id from ${table} where ${filter}${after}${reach}
               order by created_at, id limit $2 ${deep ? '' : 'offset $3'}) as page`,
    values,
  };
}

/**
 * Where the `$3`th item stands: from the widest buckets of creation time down to one of 64 ms, each time to that of at most 64
 * siblings in which it lies; what is left to skip is what was made in the same 64 ms. In a list of a million, an offset of
 * 900 000 costs 3 ms instead of 300, whatever the status.
 */
function findPlace(resource: keyof typeof resources, status: string): string {
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

/** The first item of the page: what is left to skip is skipped in the index alone, without a look at the documents. */
function findStart(table: string, filter: string): string {
  return `start as (
      select created_at as at, id from ${table} where ${filter} and created_at >= (select since from place)
       order by created_at, id limit 1 offset (select skip from place))`;
}

/** One document by its id, deleted or not. The id of an identity that was merged away finds the one that has its records. */
export async function findDocument(
  database: Database,
  tenantId: string,
  resource: keyof typeof resources,
  id: string,
): Promise<string | undefined> {
  const { table, only } = resources[resource];
  const [row] = await database.read<{ document: string }>(tenantId, {
    name: `document-${resource}`,
    text: `select document from ${table} where ${only}tenant_id = $1 and id = ${resources[resource].id}`,
    values: [tenantId, id],
  });
  return row?.document;
}

/**
 * An identity as it was at a time; undefined if there was none then. One that was merged away is itself until that time,
 * and the survivor from then on.
 */
export async function findIdentityAt(
  database: Database,
  tenantId: string,
  id: string,
  at: Date,
): Promise<string | undefined> {
  const [row] = await database.read<{ document: string }>(tenantId, {
    name: 'identity-at',
    text: `
      with meant as (
        select coalesce((select into_id from identity_redirects where tenant_id = $1 and id = $2 and merged_at <= $3), $2) as id)
      select document from (
        (select v.document from identity_versions v join meant on v.identity_id = meant.id
          where v.tenant_id = $1 and v.valid_until > $3 order by v.valid_until, v.id limit 1)
        union all
        (select i.document from identities i join meant using (id) where i.tenant_id = $1)) as versions
       where (document::json ->> 'created_at')::timestamptz <= $3 limit 1`,
    values: [tenantId, id, at],
  });
  return row?.document;
}
