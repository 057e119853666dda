import type { Database } from '@idsync/database';
import { findDocument, findIdentityAt } from '@idsync/database/gateway';
import { badRequest, orNotFound } from '../http/api-error.js';

/** Returns the JSON of an identity, as it is now or as it was at a time. */
export async function identityDocument(
  database: Database,
  tenantId: string,
  id: string,
  at: string | undefined,
): Promise<string> {
  if (at === undefined) return orNotFound(await findDocument(database, tenantId, 'identity', id));
  const { document, isFuture } = await findIdentityAt(database, tenantId, id, new Date(at));
  if (isFuture) throw badRequest(`at must not be in the future, got ${at}`);
  return orNotFound(document);
}
