import type { RecordKind } from '@idsync/contracts';
import type { Database, NamedQuery } from '../database.js';
import type { DocumentPage, DocumentQuery } from './documents.js';
import { isWithinPage } from './page.js';
import { conditionsOf, type RecordFilter } from './record-filter.js';

export type ListedKind = Exclude<RecordKind, 'user'>;
export type RecordListQuery = DocumentQuery & RecordFilter;

export interface RecordPage extends DocumentPage {
  /** True if there are more items than were counted. */
  isEstimate: boolean;
}

/** Largest total that is counted. */
export const maxCounted = 10_000;

/** Returns a page of a tenant's accounts or machine identities in creation order. */
export async function listRecords(
  database: Database,
  tenantId: string,
  kind: ListedKind,
  query: RecordListQuery,
): Promise<RecordPage> {
  const [row] = await database.read<
    Omit<RecordPage, 'items' | 'last' | 'isEstimate'> & { items: string | null; at: Date | null; id: string }
  >(tenantId, recordListQuery(tenantId, kind, query));
  if (!row) throw new Error('the page query returned no row');
  const { items, at, id, total, ...rest } = row;
  return {
    ...rest,
    items: items ?? '',
    total: Math.min(total, maxCounted),
    isEstimate: total > maxCounted,
    last: at === null ? undefined : { createdAt: at.getTime(), id },
  };
}

/** Builds the statement of a page; each combination of filters has its own prepared statement. */
export function recordListQuery(tenantId: string, kind: ListedKind, query: RecordListQuery): NamedQuery {
  const values: unknown[] = [tenantId, query.limit, query.offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const conditions = conditionsOf(kind, query, value);
  const filter = `tenant_id = $1 and ${conditions.map(({ sql }) => sql).join(' and ')}`;
  const { sourceId } = query;
  const position = [...(sourceId ? ['connector_id'] : []), 'created_at', 'id'].join(', ');
  const after = query.after && [...(sourceId ? [sourceId] : []), new Date(query.after.createdAt), query.after.id];
  const later = after ? ` and (${position}) > (${after.map(value).join(', ')})` : '';
  const order = `order by ${position}`;
  const counted = `select created_at from source_records where ${filter} ${order} limit ${maxCounted + 1}`;
  return {
    name: ['records', ...conditions.map(({ name }) => name), later && 'after'].join('-'),
    text: `
      select string_agg(document, ',' order by created_at, id) filter (where fits) as items,
             count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as "isCut",
             (select count(*) from (${counted}) as counted) as total,
             max(created_at) filter (where fits) as at,
             (array_agg(id order by created_at desc, id desc) filter (where fits))[1] as id
        from (select document, created_at, id, ${isWithinPage('octet_length(document)', 'created_at, id')} as fits
                from (select document, created_at, id from source_records where ${filter}${later}
                       ${order} limit $2 offset $3) as page) as page`,
    values,
  };
}
