import type { requests, responses } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { listGroups } from '@idsync/database/gateway';
import type { z } from 'zod';
import { presentGroup } from '../present.js';
import { readCursor, writeCursor } from '../shared/cursor.js';
import { filterId } from './document-page.js';

/** Returns a page of the groups of a tenant. */
export async function groupPage(
  database: Database,
  tenantId: string,
  { limit, cursor, source, name, ...query }: z.infer<typeof requests.groupQuery>,
): Promise<responses.GroupPage> {
  const offset = cursor === undefined ? query.offset : 0;
  const { rows, total, isEstimate } = await listGroups(database, tenantId, {
    limit,
    offset,
    name,
    after: cursor === undefined ? undefined : readCursor(cursor),
    connectorId: source === undefined ? undefined : filterId('connector', 'source', source),
  });
  const last = cursor !== undefined && rows.length === limit ? rows.at(-1) : undefined;
  return {
    data: rows.map(presentGroup),
    total,
    ...(isEstimate && { total_is_estimate: true }),
    limit,
    offset,
    ...(last && { next_cursor: writeCursor({ createdAt: last.createdAt.getTime(), id: last.id }) }),
  };
}
