import type { requests } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { findDocuments } from '@idsync/database/gateway';
import { readCursor, writeCursor } from '../shared/cursor.js';

/** Builds a page from the JSON documents that PostgreSQL returns. */
export async function documentPage(
  database: Database,
  tenantId: string,
  resource: 'identity' | 'user',
  { limit, offset: given, status, updated_since, cursor }: requests.DirectoryQuery,
): Promise<Buffer> {
  const offset = cursor === undefined ? given : 0;
  const page = await findDocuments(database, tenantId, resource, {
    limit,
    offset,
    status,
    updatedSince: updated_since === undefined ? undefined : new Date(updated_since),
    after: cursor === undefined ? undefined : readCursor(cursor),
  });
  const more = page.isCut || (cursor !== undefined && page.count === limit);
  const next = more && page.last ? `,"next_cursor":"${writeCursor(page.last)}"` : '';
  return Buffer.from(`{"data":[${page.items}],"total":${page.total},"limit":${limit},"offset":${offset}${next}}`);
}
