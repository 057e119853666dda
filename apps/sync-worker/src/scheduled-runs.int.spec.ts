import { Database } from '@idsync/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import { makeDueJobs } from './scheduled-runs.js';

let fixture: SyncFixture;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

afterAll(async () => {
  await fixture?.close();
});

interface Planned {
  due_at: Date | null;
  next_run_at: Date | null;
  skipped_because: string | null;
}

const look = (database = fixture.database) =>
  makeDueJobs({ ...fixture.context(listSource(0)), database }, () => undefined);
const follow = (connector: string, schedule: object | null) =>
  fixture.rows.rows('update connectors set schedule = $2 where id = $1', [
    connector,
    schedule && JSON.stringify(schedule),
  ]);
const jobs = (connector: string) =>
  fixture.rows.rows<{ id: string; status: string; scheduled_for: Date }>(
    'select id, status, scheduled_for from sync_jobs where connector_id = $1 order by id',
    [connector],
  );
/** As if so much time had passed since it was planned. */
const pass = (connector: string, time: string) =>
  fixture.rows.rows(
    `with forgotten as (update sync_jobs set scheduled_for = null where connector_id = $1)
     update connector_states
        set due_at = due_at - $2::interval, next_run_at = next_run_at - $2::interval, last_due_at = last_due_at - $2::interval
      where connector_id = $1`,
    [connector, time],
  );

async function planned(connector: string): Promise<Planned> {
  const [row] = await fixture.rows.rows<Planned>(
    'select due_at, next_run_at, skipped_because from connector_states where connector_id = $1',
    [connector],
  );
  if (!row) throw new Error('nothing is planned');
  return row;
}

async function connectorWith(schedule: object): Promise<{ tenant: string; connector: string }> {
  const tenant = await fixture.rows.tenant();
  const connector = await fixture.rows.connector(tenant);
  await follow(connector, schedule);
  return { tenant, connector };
}

const minutesAhead = (time: Date | null) => ((time?.getTime() ?? 0) - Date.now()) / 60_000;

describe('a schedule', () => {
  it('is planned when it is seen, makes a job when its time has come, and is planned anew', async () => {
    const { connector } = await connectorWith({ every: '15m', jitter: '0s' });
    await look();
    const { due_at, next_run_at } = await planned(connector);
    expect(next_run_at).toEqual(due_at);
    expect(minutesAhead(due_at)).toBeCloseTo(15, 0);
    await look();
    expect(await jobs(connector)).toEqual([]);
    await pass(connector, '15 minutes');
    const due = (await planned(connector)).due_at;
    await look();
    expect(await jobs(connector)).toMatchObject([{ status: 'queued', scheduled_for: due }]);
    expect((await planned(connector)).due_at).toEqual(new Date((due?.getTime() ?? 0) + 15 * 60_000));
  });

  it('makes one job of all the runs that were missed while nobody looked', async () => {
    const { connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await look();
    await pass(connector, '3 days');
    for (let again = 0; again < 3; again += 1) await look();
    expect(await jobs(connector)).toHaveLength(1);
    expect(minutesAhead((await planned(connector)).due_at)).toBeGreaterThan(0);
  });

  it('makes no job beside one that has not ended, and says so', async () => {
    const { tenant, connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await look();
    const { id } = await fixture.queue(tenant, connector);
    for (const status of ['queued', 'running', 'quarantined']) {
      await fixture.rows.rows('update sync_jobs set status = $2 where id = $1', [id, status]);
      await pass(connector, '5 minutes');
      await look();
      expect(await jobs(connector)).toHaveLength(1);
      expect(await planned(connector)).toMatchObject({ skipped_because: `another job of the connector was ${status}` });
      expect(minutesAhead((await planned(connector)).due_at)).toBeGreaterThan(0);
    }
  });

  it('counts from its last run when it is changed, and from then on keeps to what it says now', async () => {
    const { connector } = await connectorWith({ every: '6h', jitter: '0s' });
    await look();
    await pass(connector, '6 hours');
    await look();
    await follow(connector, { every: '10m', jitter: '0s' });
    await look();
    expect(minutesAhead((await planned(connector)).due_at)).toBeCloseTo(10, 0);
    await follow(connector, { every: '10m', jitter: '0s', paused: true });
    await look();
    expect(await planned(connector)).toMatchObject({ due_at: null, next_run_at: null });
    await follow(connector, null);
    await pass(connector, '1 day');
    expect(await look()).toBe(0);
    expect(await jobs(connector)).toHaveLength(1);
  });

  it('that can no longer be read is put down once, and keeps no other waiting', async () => {
    const broken = await connectorWith({ hourly: true });
    const lost = await connectorWith({ cron: '0 3 * * *', time_zone: 'Atlantis/Poseidonis' });
    const sound = await connectorWith({ cron: '0 3 * * *' });
    await look();
    expect(await planned(broken.connector)).toMatchObject({ next_run_at: null });
    expect(await planned(lost.connector)).toMatchObject({ next_run_at: null });
    expect((await planned(sound.connector)).next_run_at).not.toBeNull();
    expect(await look()).toBe(0);
  });

  it('is no business of a connector that was deleted', async () => {
    const { connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await look();
    await pass(connector, '5 minutes');
    await fixture.rows.rows('update connectors set deleted_at = now() where id = $1', [connector]);
    await look();
    expect(await jobs(connector)).toEqual([]);
    expect(await planned(connector)).toMatchObject({ due_at: null, next_run_at: null });
  });

  it('makes one job of a due time, however many workers look at once', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(() => Database.connect({ url: fixture.url, service: 'sync-worker', poolSize: 2 })),
    );
    const connectors = await Promise.all(
      Array.from({ length: 20 }, () => connectorWith({ every: '5m', jitter: '0s' })),
    );
    await look();
    for (const { connector } of connectors) await pass(connector, '5 minutes');
    await Promise.all([fixture.database, ...others].flatMap((database) => [look(database), look(database)]));
    await Promise.all(others.map((database) => database.close()));
    for (const { connector } of connectors) {
      const [job, ...more] = await jobs(connector);
      expect(job?.status).toBe('queued');
      expect(more).toEqual([]);
      await fixture.rows.rows(`update sync_jobs set status = 'completed', completed_at = now() where id = $1`, [
        job?.id,
      ]);
    }
  });

  it('reads every so many times everything', async () => {
    const { tenant, connector } = await connectorWith({ every: '5m', jitter: '0s', full_every: 3 });
    const source = {
      tellsChanges: true,
      async *read() {
        yield { records: [], errors: [], cursor: { at: 1 }, last: true, checkpoint: { at: 1 } };
      },
    };
    const modes: string[] = [];
    await look();
    for (let run = 0; run < 7; run += 1) {
      await pass(connector, '5 minutes');
      await look();
      const [job] = (await jobs(connector)).slice(-1);
      const claimed = job && (await claimJob(fixture.context(source), { id: job.id, tenantId: tenant }));
      if (!claimed) throw new Error('not claimed');
      await runJob(fixture.context(source), claimed, new RunControl());
      await fixture.sweepAll();
      const [row] = await fixture.rows.rows<{ mode: string }>('select mode from sync_jobs where id = $1', [job.id]);
      modes.push(row?.mode ?? '');
    }
    expect(modes.map((mode) => mode.at(0)).join('')).toBe('fccfccf');
  });
});
