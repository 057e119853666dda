import type { Database } from '@idsync/database';
import { insertApiKey } from '@idsync/database/gateway';
import { formatApiKey, newSecret } from '../src/access/api-key.js';

/** Creates an API key of the tenant and returns its text. */
export async function insertKey(database: Database, tenantId: string): Promise<string> {
  const { secret, hash } = newSecret();
  const { id } = await database.transaction(tenantId, (tx) =>
    insertApiKey(tx, { name: 'test', scopes: ['users:read'], secretHash: hash }),
  );
  return formatApiKey(id, secret);
}
