import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listJobs } from './jobs.js';

let own: ServiceDatabase;
let fixture: DirectoryFixture;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  fixture = own.fixture;
});

afterAll(async () => {
  await own?.close();
});

async function ended(tenant: string, connector: string, status: string, count: number): Promise<void> {
  await fixture.rows(
    `insert into sync_jobs (id, tenant_id, connector_id, status, mode, created_at, completed_at)
     select gen_random_uuid(), $1, $2, $3, 'changes', now(), now() from generate_series(1, $4::int)`,
    [tenant, connector, status, count],
  );
}

it('lists the jobs of a connector or with a status, the newest first, and counts up to 5000', async () => {
  const tenant = await fixture.tenant();
  const [busy, quiet] = [await fixture.connector(tenant), await fixture.connector(tenant)];
  await ended(tenant, busy, 'completed', 5_000);
  await ended(tenant, quiet, 'failed', 2);
  const list = (filter: { connectorId?: string; status?: string }) =>
    own.database.transaction(tenant, (tx) => listJobs(tx, tenant, { limit: 3, offset: 0, ...filter }));
  expect(await list({})).toMatchObject({ total: 5_000, isEstimate: true });
  expect(await list({ status: 'completed' })).toMatchObject({ total: 5_000, isEstimate: false });
  expect(await list({ connectorId: quiet })).toMatchObject({ total: 2, isEstimate: false });
  expect(await list({ connectorId: busy, status: 'failed' })).toMatchObject({ rows: [], total: 0, isEstimate: false });
  const { rows } = await list({ connectorId: busy });
  expect(rows.map(({ id }) => id)).toEqual(
    rows
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  expect(rows).toHaveLength(3);
});
