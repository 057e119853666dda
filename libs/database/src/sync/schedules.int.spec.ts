import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../../test/rows-fetched.js';
import { findDueConnectors, lockSchedule, savePlannedRun } from './schedules.js';

let own: ServiceDatabase;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('sync-worker');
  fixture = own.fixture;
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await own?.close();
});

const hour = '{"every": "1h"}';

/** Creates a connector whose next run is planned at an offset from now. */
async function planned(from: string): Promise<string> {
  const id = await fixture.connector(tenant);
  await fixture.rows('update connectors set schedule = $2, planned_schedule = $2 where id = $1', [id, hour]);
  await fixture.rows(
    `insert into connector_states (connector_id, tenant_id, due_at, next_run_at)
     values ($1, $2, now() + $3::interval, now() + $3::interval)`,
    [id, tenant, from],
  );
  return id;
}

const due = () => own.database.acrossTenants((tx) => findDueConnectors(tx, 100));
const dueIds = async () => (await due()).map(({ id }) => id).sort();

describe('findDueConnectors', () => {
  it('reads only connectors that are due or whose schedule changed, among many', async () => {
    await fixture.rows(
      `with made as (
         insert into connectors (id, tenant_id, type, name, priority, records, config, schedule, planned_schedule)
         select gen_random_uuid(), $1, 'csv', n::text, 1, 'user', '{}', $2, $2 from generate_series(1, 5000) n returning id)
       insert into connector_states (connector_id, tenant_id, due_at, next_run_at)
       select id, $1, now() + interval '1 hour', now() + interval '1 hour' from made`,
      [tenant, hour],
    );
    const late = await planned('-1 second');
    const changed = await planned('1 hour');
    await fixture.rows(`update connectors set schedule = '{"every": "2h"}' where id = $1`, [changed]);
    const { found, fetched } = await own.database.acrossTenants(async (tx) => {
      const read = async () => (await rowsFetched(tx, 'connectors')) + (await rowsFetched(tx, 'connector_states'));
      const before = await read();
      const found = await findDueConnectors(tx, 100);
      return { found: found.map(({ id }) => id).sort(), fetched: (await read()) - before };
    });
    expect(found).toEqual([late, changed].sort());
    // Bitmap scans fetch a row twice: once from the index, once from the table.
    expect(fetched).toBeLessThan(10);
    await fixture.rows('delete from connectors where id = any($1)', [[late, changed]]);
    await fixture.rows('delete from connector_states where connector_id = any($1)', [[late, changed]]);
  });

  it('returns a connector that is both due and changed once, and one without a schedule until that is saved', async () => {
    const both = await planned('-1 minute');
    await fixture.rows('update connectors set schedule = null where id = $1', [both]);
    expect(await dueIds()).toEqual([both]);
    await own.database.transaction(tenant, async (tx) => {
      const state = await lockSchedule(tx, { id: both, tenantId: tenant });
      expect(state).toMatchObject({ stored: null, schedule: undefined });
      await savePlannedRun(tx, { id: both, tenantId: tenant }, null, undefined, null);
    });
    expect(await dueIds()).toEqual([]);
  });

  it('returns a connector again if its schedule changed while the previous one was planned', async () => {
    const id = await planned('-1 minute');
    const connector = { id, tenantId: tenant };
    await own.database.transaction(tenant, async (tx) => {
      const state = await lockSchedule(tx, connector);
      await fixture.rows(`update connectors set schedule = '{"every": "5m"}' where id = $1`, [id]);
      const later = new Date(Date.now() + 3_600_000);
      await savePlannedRun(tx, connector, state?.stored ?? null, { due: later, begins: later }, null);
    });
    expect(await dueIds()).toEqual([id]);
    const state = await own.database.transaction(tenant, (tx) => lockSchedule(tx, connector));
    expect(state).toMatchObject({ isDue: false, schedule: { every: '5m' } });
  });
});
