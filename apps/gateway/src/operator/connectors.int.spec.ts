import { decodeId } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

const people = {
  type: 'csv',
  name: 'HR',
  records: 'user',
  config: { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } },
};

let gateway: OperatedGateway;
let tenant: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ WEBHOOK_ALLOW_CIDRS: ['10.9.0.0/16'] });
  tenant = `/tenants/${(await operator('POST', '/tenants', { name: 'Test' })).body.id}`;
});

afterAll(() => gateway?.close());

const operator: OperatedGateway['operator'] = (...call) => gateway.operator(...call);

describe('a connector', () => {
  it('keeps its type and the kind of its records', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, people);
    const path = `${tenant}/connectors/${body.id}`;
    expect(await operator('PATCH', path, { type: 'ldif' })).toEqual({
      status: 400,
      body: { error: 'type is csv and cannot be changed' },
    });
    expect(await operator('PATCH', path, { records: 'account' })).toEqual({
      status: 400,
      body: { error: 'records is user and cannot be changed' },
    });
    expect((await operator('PATCH', path, { ...people, name: 'Staff' })).body).toMatchObject({ name: 'Staff' });
  });
});

describe('a job', () => {
  it('shows its total of batches only if its source was read completely', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Other' });
    const { body: job } = await operator('POST', `${tenant}/sync-jobs`, { connector_id: body.id });
    const path = `${tenant}/sync-jobs/${job.job_id}`;
    const become = (status: string, error: string | null) =>
      gateway.fixture.rows('update sync_jobs set status = $1, error_message = $2, batches_total = 3', [status, error]);
    await become('running', null);
    expect((await operator('GET', path)).body).toMatchObject({ batches_total: 3 });
    for (const status of ['running', 'failed']) {
      await become(status, 'cut off in line 5002');
      expect((await operator('GET', path)).body).not.toHaveProperty('batches_total');
    }
    await become('completed_with_errors', '1 record was left out');
    expect((await operator('GET', path)).body).toMatchObject({ batches_total: 3 });
  });
});

describe('a quarantined job', () => {
  it('is released or cancelled with a reason only, and not once it has ended', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Held' });
    const { body: job } = await operator('POST', `${tenant}/sync-jobs`, { connector_id: body.id });
    const decide = (decision: string, given: object) =>
      operator('POST', `${tenant}/sync-jobs/${job.job_id}/${decision}`, given);
    const become = (status: string) =>
      gateway.fixture.rows('update sync_jobs set status = $1 where id = $2', [status, decodeId('job', job.job_id)]);
    await become('quarantined');
    for (const decision of ['release', 'cancel']) {
      expect(await decide(decision, {})).toEqual({ status: 400, body: { error: 'reason is required' } });
      expect((await decide(decision, { reason: 'checked' })).status).toBe(202);
    }
    await become('cancelled');
    expect(await decide('release', { reason: 'late' })).toEqual({
      status: 400,
      body: { error: 'the job is cancelled, not quarantined' },
    });
    expect(await decide('cancel', { reason: 'late' })).toEqual({
      status: 400,
      body: { error: 'the job is already cancelled' },
    });
  });
});

describe('the schedule of a connector', () => {
  it('is stored with its defaults, validated, changed and deleted', async () => {
    const schedule = { cron: '0 3 * * *', time_zone: 'Europe/Berlin' };
    const { status, body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Nightly', schedule });
    expect(status).toBe(201);
    expect(body).toMatchObject({ schedule: { ...schedule, full_every: 100, full_every_hours: 24, paused: false } });
    expect(body).not.toHaveProperty('next_run_at');
    const path = `${tenant}/connectors/${body.id}`;
    const patch = (schedule: unknown) => operator('PATCH', path, { schedule });
    expect(await patch({ every: '10s' })).toEqual({
      status: 400,
      body: { error: 'schedule.every must be a duration such as 90s, 15m, 6h or 1d, of 1m to 31d' },
    });
    expect(await patch({ every: '1d', full_every_hours: 0 })).toEqual({
      status: 400,
      body: { error: 'schedule.full_every_hours must be an integer from 1 to 8760' },
    });
    expect(await patch({ cron: '0 3 * * *', time_zone: 'Mars' })).toEqual({
      status: 400,
      body: { error: 'schedule.time_zone "Mars" is unknown' },
    });
    expect((await patch({ every: '1h' })).body).toMatchObject({ schedule: { every: '1h' } });
    const stored = () => gateway.fixture.rows(`select safeguard, schedule from connectors where name = 'Nightly'`);
    const usual = { every: '1h', full_every: 100, full_every_hours: 24, paused: false };
    expect(await stored()).toEqual([{ safeguard: body.safeguard, schedule: usual }]);
    await patch({ every: '1h', full_every_hours: 48 });
    await operator('PATCH', path, { safeguard: { max_failed_percent: 20 } });
    expect(await stored()).toEqual([
      { safeguard: { ...body.safeguard, max_failed_percent: 20 }, schedule: { ...usual, full_every_hours: 48 } },
    ]);
    expect((await operator('GET', path)).body).toMatchObject({
      safeguard: { max_failed_percent: 20, max_failed_records: 10 },
      schedule: { full_every_hours: 48 },
    });
    expect((await operator('PATCH', path, { priority: 7 })).body).toMatchObject({ schedule: { every: '1h' } });
    expect((await patch(null)).body).not.toHaveProperty('schedule');
  });

  it('shows the next run and the last result, and resets both when it changes', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, {
      ...people,
      name: 'Hourly',
      schedule: { every: '1h' },
    });
    const path = `${tenant}/connectors/${body.id}`;
    const { body: job } = await operator('POST', `${tenant}/sync-jobs`, { connector_id: body.id, mode: 'full' });
    await gateway.fixture.rows(
      `with ended as (
         update sync_jobs set status = 'failed', error_message = 'gone', completed_at = now(), mode = 'full'
          where connector_id = (select id from connectors where name = 'Hourly') returning id),
       planned as (update connectors set planned_schedule = schedule where name = 'Hourly')
       insert into connector_states
           (connector_id, tenant_id, due_at, next_run_at, checkpoint, checkpoint_at, config_version, complete_as_of, last_job_id)
       select c.id, c.tenant_id, '2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z', '{}', '2029-01-01T00:00:00Z', 1, '2028-12-31T00:00:00Z', ended.id
         from connectors c, ended where c.name = 'Hourly'`,
    );
    expect((await operator('GET', path)).body).toMatchObject({
      next_run_at: '2030-01-01T00:00:00.000Z',
      checkpoint_at: '2029-01-01T00:00:00.000Z',
      complete_as_of: '2028-12-31T00:00:00.000Z',
      last_run: { job_id: job.job_id, status: 'failed', mode: 'full', error_message: 'gone' },
    });
    expect((await operator('PATCH', path, { schedule: { every: '2h' } })).body).not.toHaveProperty('next_run_at');
    expect((await operator('PATCH', path, { name: 'Hourly 2' })).body).toHaveProperty('checkpoint_at');
    const config = { ...people.config, path: 'other.csv' };
    expect((await operator('PATCH', path, { config })).body).not.toHaveProperty('checkpoint_at');
  });

  it('does not queue the same job twice, while an explicit mode creates its own job, which says what it waits for', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Modes' });
    const trigger = async (more: object) =>
      (await operator('POST', `${tenant}/sync-jobs`, { connector_id: body.id, ...more })).body;
    const first = await trigger({});
    expect(await trigger({ mode: 'auto' })).toEqual(first);
    const full = await trigger({ mode: 'full' });
    expect(full.job_id).not.toBe(first.job_id);
    const waitsFor = async (id: string) => (await operator('GET', `${tenant}/sync-jobs/${id}`)).body.waits_for;
    expect(await waitsFor(first.job_id)).toBeUndefined();
    expect(await waitsFor(full.job_id)).toEqual({ job_id: first.job_id, status: 'queued' });
    const later = await trigger({ mode: 'full' });
    const become = (mode: string, status: string, decision: string | null = null) =>
      gateway.fixture.rows(
        `update sync_jobs set status = $2, decision = $3::jsonb
          where connector_id = (select id from connectors where name = 'Modes') and mode = $1 and id <> $4`,
        [mode, status, decision, decodeId('job', later.job_id)],
      );
    await become('auto', 'running');
    expect(await waitsFor(first.job_id)).toBeUndefined();
    expect(await waitsFor(later.job_id)).toEqual({ job_id: first.job_id, status: 'running' });
    await become('auto', 'quarantined');
    expect(await waitsFor(later.job_id)).toEqual({ job_id: full.job_id, status: 'queued' });
    await become('auto', 'quarantined', '{"action":"released"}');
    expect(await waitsFor(later.job_id)).toEqual({ job_id: first.job_id, status: 'quarantined' });
    await become('full', 'running');
    expect(await waitsFor(first.job_id)).toEqual({ job_id: full.job_id, status: 'running' });
    expect((await operator('GET', `${tenant}/sync-jobs/${full.job_id}`)).body).toMatchObject({ mode: 'full' });
    expect(await trigger({ mode: 'half' })).toEqual({ error: 'mode must be one of auto, full, changes' });
  });
});

describe('the health of a source', () => {
  it('shows consecutive failures and the records that cannot be applied', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Shaky' });
    expect(body).toMatchObject({ health: 'ok', failures: 0 });
    const { body: job } = await operator('POST', `${tenant}/sync-jobs`, { connector_id: body.id });
    const path = `${tenant}/connectors/${body.id}`;
    const fail = (failures: number) =>
      gateway.fixture.rows(
        `insert into connector_states (connector_id, tenant_id, failures)
         select id, tenant_id, $1 from connectors where name = 'Shaky'
         on conflict (connector_id) do update set failures = excluded.failures`,
        [failures],
      );
    await fail(2);
    expect((await operator('GET', path)).body).toMatchObject({ health: 'failing', failures: 2 });
    await fail(3);
    expect((await operator('GET', path)).body).toMatchObject({ health: 'suspended' });
    const become = (status: string) =>
      gateway.fixture.rows(
        `update sync_jobs set status = $1 where connector_id = (select id from connectors where name = 'Shaky')`,
        [status],
      );
    await become('quarantined');
    expect((await operator('GET', path)).body).toMatchObject({ health: 'quarantined', failures: 3 });
    await become('queued');
    await gateway.fixture.rows(
      `insert into failing_records (id, connector_id, tenant_id, job_id, external_id, line, message, first_failed_at, last_failed_at, retries, retry_at)
       select gen_random_uuid(), c.id, c.tenant_id, j.id, 'r1', 7, 'no mail', '2029-01-01T00:00:00Z', '2029-01-02T00:00:00Z', 2, '2029-01-02T00:30:00Z'
         from connectors c join sync_jobs j on j.connector_id = c.id where c.name = 'Shaky'`,
    );
    expect((await operator('GET', `${path}/errors?limit=10`)).body).toEqual({
      data: [
        {
          external_id: 'r1',
          line: 7,
          message: 'no mail',
          first_failed_at: '2029-01-01T00:00:00.000Z',
          last_failed_at: '2029-01-02T00:00:00.000Z',
          job_id: job.job_id,
          retries: 2,
          retry_at: '2029-01-02T00:30:00.000Z',
        },
      ],
      total: 1,
      limit: 10,
      offset: 0,
    });
    expect((await operator('GET', `${tenant}/connectors/con_none/errors`)).status).toBe(404);
  });

  it('marks a job as stalled while it waits only for its source', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Slow' });
    const { body: job } = await operator('POST', `${tenant}/sync-jobs`, { connector_id: body.id });
    const become = async (change: string) => {
      await gateway.fixture.rows(
        `update sync_jobs set status = 'running', started_at = now() - interval '1 hour',
                ${change} where connector_id = (select id from connectors where name = 'Slow')`,
      );
      return (await operator('GET', `${tenant}/sync-jobs/${job.job_id}`)).body;
    };
    expect(await become(`lease_until = now() + interval '1 minute', last_record_at = now()`)).toMatchObject({
      stalled: false,
      last_record_at: expect.any(String),
    });
    expect(await become(`last_record_at = now() - interval '6 minutes'`)).toMatchObject({ stalled: true });
    expect(await become('last_record_at = null')).toMatchObject({ stalled: true });
    // Not stalled: its batches wait for the directory, its lease has ended, or everything is read.
    expect(await become('batches_written = 2, batches_processed = 1')).toMatchObject({ stalled: false });
    expect(await become(`batches_written = 0, batches_processed = 0, lease_until = null`)).toMatchObject({
      stalled: false,
    });
    expect(await become('batches_total = 0')).toMatchObject({ stalled: false });
  });
});

describe('a sync of one record', () => {
  const strange = 'CN=Ren\\, A/B,OU=100%+ü ?#;,DC=x';
  const sync = (connector: unknown, record: string) =>
    operator('POST', `${tenant}/connectors/${connector}/records/${encodeURIComponent(record)}/sync`);

  /** Plays the part of the sync-worker once the job exists. */
  async function finishJob(externalId: string, change: string): Promise<void> {
    const sql = `update sync_jobs set ${change} where external_id = $1 and mode = 'record' returning id`;
    await until(async () => (await gateway.fixture.rows(sql, [externalId])).length > 0, `a job of ${externalId}`);
  }

  it('accepts any external id and returns the outcome with the job', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'One' });
    const [answer] = await Promise.all([
      sync(body.id, strange),
      finishJob(strange, `status = 'completed', outcome = 'absent', completed_at = now()`),
    ]);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'completed', mode: 'record', external_id: strange, outcome: 'absent', errors: [] },
    });
    expect(answer.body).not.toHaveProperty('record_id');
    const found = await operator('GET', `${tenant}/sync-jobs/${answer.body.job_id}`);
    expect(found).toEqual({ status: 200, body: answer.body });
  });

  it('continues in the background after ten seconds', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Unhurried' });
    const answer = await sync(body.id, '4711');
    expect(answer).toMatchObject({ status: 202, body: { status: 'queued', external_id: '4711' } });
  });

  it('reads the record by the normal form of its id', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Spelled' });
    const [answer] = await Promise.all([
      sync(body.id, '\uff14\uff171\u200b2'),
      finishJob('4712', `status = 'completed', outcome = 'unchanged', completed_at = now()`),
    ]);
    expect(answer).toMatchObject({ status: 200, body: { external_id: '4712' } });
  });

  it('is rejected for an unknown connector, a connector type without single reads, and an invalid external id', async () => {
    expect(await sync('con_00000000000000000000000000', '1')).toEqual({ status: 404, body: { error: 'not found' } });
    const github = {
      type: 'github',
      name: 'Bots',
      records: 'machine_identity',
      config: { organization: 'octo-org', auth: { type: 'token' } },
      secrets: { token: 'ghp_x' },
    };
    const { body } = await operator('POST', `${tenant}/connectors`, github);
    expect(await sync(body.id, '1')).toEqual({
      status: 400,
      body: { error: 'this type of connector cannot read a single record' },
    });
    const { body: csv } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Ids' });
    expect((await sync(csv.id, 'a\0b')).status).toBe(400);
    expect((await sync(csv.id, 'x'.repeat(1_025))).status).toBe(400);
  });
});
