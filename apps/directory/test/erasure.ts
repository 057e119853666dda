import { expect } from '@jest/globals';
import type { Harness } from './harness.js';

export async function eraseIdentity(directory: Harness, identity_id: string): Promise<void> {
  expect(await directory.operate('identity.erase', { identity_id, reason: 'asked to' })).toMatchObject({
    status: 'done',
  });
}

/**
 * Returns the tenant's rows that contain the word, ignoring case, except batches, which the sync-worker deletes. The
 * word needs an i, l, o or u, which ids never contain.
 */
export async function findTraces(directory: Harness, word: string): Promise<Record<string, unknown[]>> {
  const tables = await directory.fixture.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'tenant_id' and table_name <> 'sync_batches' order by 1`,
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const rows = await directory.fixture.rows(
      `select t::text as row from ${name} t where tenant_id = $1 and t::text ilike $2`,
      [directory.tenant, `%${word}%`],
    );
    if (rows.length > 0) found[name] = rows;
  }
  return found;
}
