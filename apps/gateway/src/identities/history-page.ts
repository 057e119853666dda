import type { requests, resources } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { findHistory } from '@idsync/database/gateway';
import type { z } from 'zod';
import { orNotFound } from '../http/api-error.js';
import { presentEvent } from '../present.js';
import { readSequence, writeSequence } from '../shared/cursor.js';

/** Events of an identity and of all records linked to it, oldest first. */
export async function historyPage(
  database: Database,
  tenantId: string,
  id: string,
  { limit, updated_since, cursor, ...query }: z.infer<typeof requests.historyQuery>,
): Promise<z.output<typeof resources.historyPage>> {
  const offset = cursor === undefined ? query.offset : 0;
  const found = await findHistory(database, tenantId, id, {
    limit,
    offset,
    afterSequence: cursor === undefined ? undefined : readSequence(cursor),
    since: updated_since === undefined ? undefined : new Date(updated_since),
  });
  const page = orNotFound(found);
  const last = page.events.at(-1);
  const more = last && (page.isCut || (cursor !== undefined && page.events.length === limit));
  return {
    data: page.events.map(presentEvent),
    total: page.total,
    limit,
    offset,
    ...(more && { next_cursor: writeSequence(last.sequence) }),
  };
}
