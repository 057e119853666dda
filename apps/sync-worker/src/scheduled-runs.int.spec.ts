import type { Connector } from '@idsync/connectors';
import { Database } from '@idsync/database';
import { findOldestCompleteRead } from '@idsync/database/sync';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import { createDueJobs } from './scheduled-runs.js';

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

const poll = (database = fixture.database) =>
  createDueJobs({ ...fixture.context(listSource(0)), database }, () => undefined);
const setSchedule = (connector: string, schedule: object | null) =>
  fixture.rows.rows('update connectors set schedule = $2 where id = $1', [
    connector,
    schedule && JSON.stringify(schedule),
  ]);
const jobs = (connector: string) =>
  fixture.rows.rows<{ id: string; status: string; scheduled_for: Date }>(
    'select id, status, scheduled_for from sync_jobs where connector_id = $1 order by id',
    [connector],
  );
/** Moves the planned times into the past by this interval. */
const advance = (connector: string, time: string) =>
  fixture.rows.rows(
    `with forgotten as (update sync_jobs set scheduled_for = null where connector_id = $1)
     update connector_states
        set due_at = due_at - $2::interval, complete_as_of = complete_as_of - $2::interval, next_run_at = next_run_at - $2::interval, last_due_at = last_due_at - $2::interval
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
  await setSchedule(connector, schedule);
  return { tenant, connector };
}

const minutesAhead = (time: Date | null) => ((time?.getTime() ?? 0) - Date.now()) / 60_000;

describe('a schedule', () => {
  it('is planned at the next poll, creates a job at its due time, and is planned again', async () => {
    const { connector } = await connectorWith({ every: '15m', jitter: '0s' });
    await poll();
    const { due_at, next_run_at } = await planned(connector);
    expect(next_run_at).toEqual(due_at);
    expect(minutesAhead(due_at)).toBeCloseTo(15, 0);
    await poll();
    expect(await jobs(connector)).toEqual([]);
    await advance(connector, '15 minutes');
    const due = (await planned(connector)).due_at;
    await poll();
    expect(await jobs(connector)).toMatchObject([{ status: 'queued', scheduled_for: due }]);
    expect((await planned(connector)).due_at).toEqual(new Date((due?.getTime() ?? 0) + 15 * 60_000));
  });

  it('creates one job for all runs missed during a downtime', async () => {
    const { connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    await advance(connector, '3 days');
    for (let again = 0; again < 3; again += 1) await poll();
    expect(await jobs(connector)).toHaveLength(1);
    expect(minutesAhead((await planned(connector)).due_at)).toBeGreaterThan(0);
  });

  it('skips a run while another job of the connector is unfinished, and stores the reason', async () => {
    const { tenant, connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    const { id } = await fixture.queue(tenant, connector);
    for (const status of ['queued', 'running']) {
      await fixture.rows.rows('update sync_jobs set status = $2 where id = $1', [id, status]);
      await advance(connector, '5 minutes');
      await poll();
      expect(await jobs(connector)).toHaveLength(1);
      expect(await planned(connector)).toMatchObject({ skipped_because: `another job of the connector was ${status}` });
      expect(minutesAhead((await planned(connector)).due_at)).toBeGreaterThan(0);
    }
  });

  it('creates a run while another job of the connector is quarantined', async () => {
    const { tenant, connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    const { id } = await fixture.queue(tenant, connector);
    await fixture.rows.rows(`update sync_jobs set status = 'quarantined' where id = $1`, [id]);
    await advance(connector, '5 minutes');
    await poll();
    expect(await jobs(connector)).toHaveLength(2);
  });

  it('is planned from its last run when it is changed', async () => {
    const { connector } = await connectorWith({ every: '6h', jitter: '0s' });
    await poll();
    await advance(connector, '6 hours');
    await poll();
    await setSchedule(connector, { every: '10m', jitter: '0s' });
    await poll();
    expect(minutesAhead((await planned(connector)).due_at)).toBeCloseTo(10, 0);
    await setSchedule(connector, { every: '10m', jitter: '0s', paused: true });
    await poll();
    expect(await planned(connector)).toMatchObject({ due_at: null, next_run_at: null });
    await setSchedule(connector, null);
    await advance(connector, '1 day');
    expect(await poll()).toBe(0);
    expect(await jobs(connector)).toHaveLength(1);
  });

  it('is not planned again if it is invalid, and does not block other schedules', async () => {
    const broken = await connectorWith({ hourly: true });
    const lost = await connectorWith({ cron: '0 3 * * *', time_zone: 'Atlantis/Poseidonis' });
    const sound = await connectorWith({ cron: '0 3 * * *' });
    await poll();
    expect(await planned(broken.connector)).toMatchObject({ next_run_at: null });
    expect(await planned(lost.connector)).toMatchObject({ next_run_at: null });
    expect((await planned(sound.connector)).next_run_at).not.toBeNull();
    expect(await poll()).toBe(0);
  });

  it('of a deleted connector is ignored', async () => {
    const { connector } = await connectorWith({ every: '5m', jitter: '0s' });
    await poll();
    await advance(connector, '5 minutes');
    await fixture.rows.rows('update connectors set deleted_at = now() where id = $1', [connector]);
    await poll();
    expect(await jobs(connector)).toEqual([]);
    expect(await planned(connector)).toMatchObject({ due_at: null, next_run_at: null });
  });

  it('creates one job per due time when several workers poll concurrently', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(() => Database.connect({ url: fixture.url, service: 'sync-worker', poolSize: 2 })),
    );
    const connectors = await Promise.all(
      Array.from({ length: 20 }, () => connectorWith({ every: '5m', jitter: '0s' })),
    );
    await poll();
    for (const { connector } of connectors) await advance(connector, '5 minutes');
    await Promise.all([fixture.database, ...others].flatMap((database) => [poll(database), poll(database)]));
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

  const source: Connector = {
    reportsChanges: true,
    async *read() {
      yield { records: [], errors: [], cursor: { at: 1 }, last: true, checkpoint: { at: 1 } };
    },
  };

  /** Runs a schedule at each of its due times. Returns the mode of the job. */
  async function runDue({ tenant, connector }: { tenant: string; connector: string }, time: string, note?: string) {
    await advance(connector, time);
    await poll();
    const [job] = (await jobs(connector)).slice(-1);
    const claimed = job && (await claimJob(fixture.context(source), { id: job.id, tenantId: tenant }));
    if (!claimed) throw new Error('not claimed');
    await runJob(fixture.context(source), claimed, new RunControl());
    await fixture.sweepAll(note);
    const [row] = await fixture.rows.rows<{ mode: string }>('select mode from sync_jobs where id = $1', [job.id]);
    return row?.mode ?? '';
  }

  async function modesOf(schedule: object, time: string): Promise<string> {
    const own = await connectorWith(schedule);
    await poll();
    const modes: string[] = [];
    for (let run = 0; run < 7; run += 1) modes.push(await runDue(own, time));
    return modes.map((mode) => mode.at(0)).join('');
  }

  it('makes every nth run a full run', async () => {
    expect(await modesOf({ every: '5m', jitter: '0s', full_every: 3 }, '5 minutes')).toBe('fccfccf');
  });

  it('makes a run a full run before the last complete one is older than a day or full_every_hours', async () => {
    expect(await modesOf({ every: '1d', jitter: '0s' }, '1 day')).toBe('fffffff');
    expect(await modesOf({ every: '12h', jitter: '0s' }, '12 hours')).toBe('fcfcfcf');
    expect(await modesOf({ every: '1d', jitter: '0s', full_every_hours: 72 }, '1 day')).toBe('fccfccf');
  });

  it('counts only runs that are proved complete as complete', async () => {
    const own = await connectorWith({ every: '5m', jitter: '0s' });
    const completeAsOf = async () => {
      const [row] = await fixture.rows.rows<{ at: Date | null; started_at: Date }>(
        `select s.complete_as_of as at, j.started_at from connector_states s
           join sync_jobs j on j.connector_id = s.connector_id where s.connector_id = $1 order by j.id desc limit 1`,
        [own.connector],
      );
      return row;
    };
    await poll();
    expect(await runDue(own, '5 minutes', 'nothing was deleted')).toBe('full');
    expect((await completeAsOf())?.at).toBeNull();
    expect(await runDue(own, '5 minutes')).toBe('full');
    const complete = await completeAsOf();
    expect(complete?.at).toEqual(complete?.started_at);
    expect(await runDue(own, '5 minutes')).toBe('changes');
    expect((await completeAsOf())?.at).not.toEqual((await completeAsOf())?.started_at);
  });

  it('is measured by the oldest complete read of all active schedules', async () => {
    const oldest = async () => (await fixture.database.acrossTenants(findOldestCompleteRead)) / 86_400;
    const before = await oldest();
    const own = await connectorWith({ every: '1d', jitter: '0s' });
    await poll();
    await runDue(own, '1 day');
    expect(await oldest()).toBeCloseTo(before, 2);
    await advance(own.connector, '400 days');
    expect(await oldest()).toBeCloseTo(400, 2);
    await setSchedule(own.connector, { every: '1d', jitter: '0s', paused: true });
    expect(await oldest()).toBeCloseTo(before, 2);
  });
});
