import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Database } from '../../database.js';
import { deleteExpiredPortalLinks, insertPortalLink } from './portal-links.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
});

afterAll(() => own?.close());

async function link(tenantId: string, seconds: number): Promise<string> {
  const values = { secretHash: Buffer.alloc(32), webhookIds: [newUuid()], access: 'read' as const, bodies: false };
  const { id } = await own.database.transaction(tenantId, (tx) => insertPortalLink(tx, { ...values, seconds }));
  return id;
}

it('deletes the expired portal links of all tenants, a batch at a time, and keeps the others', async () => {
  const tenants = [await own.fixture.tenant(), await own.fixture.tenant()];
  const kept = await Promise.all(tenants.map((tenantId) => link(tenantId, 60)));
  await Promise.all([...tenants, ...tenants].map((tenantId) => link(tenantId, -1)));
  const deleted = [];
  for (let round = 0; round < 3; round += 1)
    deleted.push(await deleteExpiredPortalLinks(own.database as unknown as Database, 3));
  expect(deleted).toEqual([3, 1, 0]);
  const rows = await own.fixture.rows<{ id: string }>('select id from portal_links');
  expect(rows.map(({ id }) => id).sort()).toEqual([...kept].sort());
});
