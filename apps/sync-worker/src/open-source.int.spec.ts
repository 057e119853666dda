import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeId } from '@idsync/contracts';
import { findJobSource } from '@idsync/database/sync';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SyncFixture } from '../test/sync-fixture.js';
import { sourceOpener } from './open-source.js';

let fixture: SyncFixture;
const sourcesDir = mkdtempSync(join(tmpdir(), 'idsync-tenant-sources-'));
beforeAll(async () => {
  fixture = await SyncFixture.create();
});
afterAll(async () => {
  rmSync(sourcesDir, { recursive: true, force: true });
  await fixture.close();
});

/**
 * Returns the ids that a connector of a new tenant reads from `hr.csv`. With `own`, the tenant's directory has such a
 * file.
 */
async function idsOf({ byTenant, own }: { byTenant: boolean; own?: string }): Promise<string[]> {
  const tenantId = await fixture.rows.tenant();
  const connectorId = await fixture.rows.connector(tenantId);
  const config = { path: 'hr.csv', external_id: 'id', fields: { display_name: 'id' } };
  await fixture.rows.rows(`update connectors set type = 'csv', config = $2 where id = $1`, [
    connectorId,
    JSON.stringify(config),
  ]);
  if (own !== undefined) {
    const folder = join(sourcesDir, encodeId('tenant', tenantId));
    mkdirSync(folder);
    writeFileSync(join(folder, 'hr.csv'), `id\n${own}\n`);
  }
  const open = sourceOpener(fixture.database, {
    sourcesDir,
    sourcesByTenant: byTenant,
    encryptionKeys: [],
    allowedCidrs: [],
  });
  const source = await fixture.database.transaction(tenantId, (tx) => findJobSource(tx, connectorId));
  if (!source) throw new Error('the connector does not exist');
  const ids: string[] = [];
  for await (const { records } of open(source).read({ pageSize: 10, signal: new AbortController().signal })) {
    ids.push(...records.map(({ external_id }) => external_id));
  }
  return ids;
}

describe('the files of a tenant', () => {
  it('are read only from the directory named after its id', async () => {
    writeFileSync(join(sourcesDir, 'hr.csv'), 'id\nof-all\n');
    await expect(idsOf({ byTenant: true, own: 'mine' })).resolves.toEqual(['mine']);
    await expect(idsOf({ byTenant: true })).rejects.toThrow(/the sources folder has no folder "ten_\w+"/);
  });

  it('are read from the common directory if SOURCES_BY_TENANT is off', async () => {
    await expect(idsOf({ byTenant: false, own: 'mine' })).resolves.toEqual(['of-all']);
  });
});
