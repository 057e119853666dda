import { newUuid, volumeLimits } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../database.js';
import { findHistory } from './history.js';

let own: TestDatabase;
let gateway: Database;
let fixture: DirectoryFixture;

beforeAll(async () => {
  own = await createTestDatabase();
  gateway = await Database.connect({ url: own.url, service: 'gateway' });
  fixture = DirectoryFixture.connect(own.url);
});

afterAll(async () => {
  await fixture?.close();
  await gateway?.close();
  await own?.drop();
});

describe('a page of a history', () => {
  it('ends at the size limit, and the next page continues there by cursor and by offset', async () => {
    const tenant = await fixture.tenant();
    const identity = newUuid();
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document) values ($1, $2, 'active', now(), now(), '{}')`,
      [tenant, identity],
    );
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, details)
       select $1, n, gen_random_uuid(), 'identity.updated', now(), $2, jsonb_build_object('filler', repeat('x', $3))
         from generate_series(1, 12) n`,
      [tenant, identity, Math.floor(volumeLimits.pageBytes / 5)],
    );
    const seen: number[] = [];
    const sizes: number[] = [];
    for (let cut = true; cut; ) {
      const page = { limit: 200, offset: 0, afterSequence: seen.at(-1) ?? 0 };
      const found = await findHistory(gateway, tenant, identity, page);
      const byOffset = await findHistory(gateway, tenant, identity, { limit: 200, offset: seen.length });
      expect(byOffset).toEqual(found);
      expect(found?.total).toBe(12);
      const sequences = found?.events.map(({ sequence }) => sequence) ?? [];
      seen.push(...sequences);
      sizes.push(sequences.length);
      cut = found?.isCut ?? false;
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, nth) => nth + 1));
    expect(sizes).toEqual([4, 4, 4]);
  });

  it('does not exist for an unknown identity or that of another tenant, but is empty without events', async () => {
    const tenant = await fixture.tenant();
    const identity = newUuid();
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document) values ($1, $2, 'active', now(), now(), '{}')`,
      [tenant, identity],
    );
    const page = { limit: 10, offset: 0 };
    expect(await findHistory(gateway, tenant, newUuid(), page)).toBeUndefined();
    expect(await findHistory(gateway, await fixture.tenant(), identity, page)).toBeUndefined();
    expect(await findHistory(gateway, tenant, identity, page)).toEqual({ events: [], isCut: false, total: 0 });
  });
});
