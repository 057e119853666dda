import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import { decrypt } from '@idsync/database';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

const key = Buffer.alloc(32, 1);

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ ENCRYPTION_KEY: key, WEBHOOK_ALLOW_CIDRS: ['10.9.0.0/16'] });
});

afterAll(() => gateway?.close());

const operator: OperatedGateway['operator'] = (...call) => gateway.operator(...call);

describe('connectors and their jobs:', () => {
  const people = {
    type: 'csv',
    name: 'HR',
    records: 'user',
    config: { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } },
  };

  let tenant: string;

  beforeAll(async () => {
    tenant = `/tenants/${(await operator('POST', '/tenants', { name: 'Test' })).body.id}`;
  });

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
      expect(await operator('PATCH', path, { connector_id: body.id, name: 'Staff' })).toEqual({
        status: 400,
        body: { error: 'unknown field connector_id' },
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
        gateway.fixture.rows('update sync_jobs set status = $1, error_message = $2, batches_total = 3', [
          status,
          error,
        ]);
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
         on conflict (tenant_id, connector_id) do update set failures = excluded.failures`,
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
});

describe('the secrets of a connector', () => {
  const scim = {
    type: 'scim',
    config: { url: 'https://scim.example.com/v2', auth: { type: 'basic', user: 'reader' } },
    secrets: { password: 'hunter2', token: 'tok-abc' },
  };

  let tenant: string;
  let connectors: string;
  let made = 0;

  beforeAll(async () => {
    tenant = String((await operator('POST', '/tenants', { name: 'Test' })).body.id);
    connectors = `/tenants/${tenant}/connectors`;
  });

  async function create(more: object = {}): Promise<string> {
    made += 1;
    const { status, body } = await operator('POST', connectors, { ...scim, name: `SCIM ${made}`, ...more });
    expect(status).toBe(201);
    return String(body.id);
  }

  /** Returns the stored secrets, decrypted as the sync-worker does, or undefined. */
  async function stored(id: string): Promise<unknown> {
    const [row] = await gateway.fixture.rows<{ ciphertext: Buffer }>(
      'select ciphertext from connector_secrets where connector_id = $1',
      [decodeId('connector', id)],
    );
    return row && JSON.parse(decrypt(row.ciphertext, [key], decodeId('tenant', tenant) ?? ''));
  }

  it('are never returned except for their names, and are encrypted in the database', async () => {
    const id = await create();
    for (const path of [connectors, `${connectors}/${id}`]) {
      const text = JSON.stringify((await operator('GET', path)).body);
      expect(text).toContain('"secrets":["password","token"]');
      expect(text).not.toMatch(/hunter2|tok-abc/);
    }
    const rows = await gateway.fixture.rows(
      'select * from connectors c left join connector_secrets s on s.connector_id = c.id',
    );
    expect(JSON.stringify(rows)).not.toMatch(/hunter2|tok-abc/);
    expect(await stored(id)).toEqual(scim.secrets);
  });

  it('stay if a change omits them, are replaced by name, and are removed by null', async () => {
    const id = await create();
    const path = `${connectors}/${id}`;
    expect((await operator('PATCH', path, { name: 'Renamed' })).body).toMatchObject({ secrets: ['password', 'token'] });
    expect(await stored(id)).toEqual(scim.secrets);
    await operator('PATCH', path, { secrets: { password: 'correct horse' } });
    expect(await stored(id)).toEqual({ password: 'correct horse', token: 'tok-abc' });
    expect((await operator('PATCH', path, { secrets: { token: null } })).body).toMatchObject({ secrets: ['password'] });
    await operator('PATCH', path, { secrets: { password: null } });
    expect(await stored(id)).toBeUndefined();
  });

  it('must be set again when their destination changes', async () => {
    const path = `${connectors}/${await create()}`;
    const elsewhere = { ...scim.config, url: 'https://evil.example.com/v2' };
    expect(await operator('PATCH', path, { config: elsewhere })).toEqual({
      status: 400,
      body: {
        error: 'config.url determines where secrets are sent: set secrets.password, secrets.token again, or to null',
      },
    });
    for (const auth of [
      { type: 'header', name: 'x-leak' },
      { type: 'basic', user: 'another' },
    ]) {
      expect((await operator('PATCH', path, { config: { ...scim.config, auth } })).body.error).toContain('config.auth');
    }
    expect((await operator('PATCH', path, { config: elsewhere, secrets: { token: 'new' } })).body.error).toContain(
      'set secrets.password again',
    );
    expect((await operator('PATCH', path, { config: { ...scim.config, filter: 'active eq true' } })).status).toBe(200);
    const secrets = { password: null, token: 'new' };
    const auth = { type: 'bearer' };
    expect((await operator('PATCH', path, { config: { ...elsewhere, auth }, secrets })).status).toBe(200);
  });

  it('are rejected by name if invalid, and the stored ones stay', async () => {
    const id = await create();
    const path = `${connectors}/${id}`;
    const refused: [unknown, string][] = [
      [{ pasword: 'x' }, 'unknown field pasword'],
      [{ password: 5 }, 'secrets.password'],
      [null, 'secrets'],
      ['hunter2', 'secrets'],
    ];
    for (const [secrets, text] of refused) {
      const { status, body } = await operator('PATCH', path, { secrets });
      expect(status).toBe(400);
      expect(body.error).toContain(text);
      expect(body.error).not.toContain('hunter2');
    }
    expect(await stored(id)).toEqual(scim.secrets);
  });

  it('must all be set again if no key decrypts them', async () => {
    const id = await create();
    const path = `${connectors}/${id}`;
    await gateway.fixture.rows(`update connector_secrets set ciphertext = '\\x00' where connector_id = $1`, [
      decodeId('connector', id),
    ]);
    expect((await operator('PATCH', path, { name: 'Another' })).body).toEqual({
      error: 'the secrets of this connector cannot be decrypted: set all of them again',
    });
    expect((await operator('PATCH', path, { secrets: { password: 'new', token: null } })).status).toBe(200);
    expect(await stored(id)).toEqual({ password: 'new' });
  });

  it('are deleted with their connector', async () => {
    const id = await create();
    expect((await operator('DELETE', `${connectors}/${id}`)).status).toBe(204);
    expect(await stored(id)).toBeUndefined();
  });
});

describe('connectors with records:', () => {
  let tenant: string;
  let tenantId: string;

  beforeEach(async () => {
    const { id } = (await operator('POST', '/tenants', { name: 'Test' })).body;
    tenant = `/tenants/${id}`;
    tenantId = decodeId('tenant', id) ?? '';
  });

  const uuid = (id: string) => decodeId('connector', id);

  async function connector(name: string, records = 'user', count = 0): Promise<string> {
    const body = {
      type: 'csv',
      name,
      records,
      config: { path: 'a.csv', external_id: 'id', fields: { email: 'mail' } },
    };
    const { id } = (await operator('POST', `${tenant}/connectors`, body)).body;
    for (let n = 0; n < count; n += 1) {
      await gateway.fixture.rows(
        `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
              created_at, updated_at, document, last_job_id, last_seq, status_since)
       values ($1, $2, 'user', $3, $4, $5, '', '{}', '{}', now(), now(), '{}', $1, 0, now())`,
        [newUuid(), tenantId, uuid(id), `p${n}`, n === 0 ? 'deleted' : 'active'],
      );
    }
    return id;
  }

  const jobsOf = (id: string) =>
    gateway.fixture.rows('select mode, retires, status from sync_jobs where connector_id = $1', [uuid(id)]);

  const operationsOf = async () =>
    gateway.fixture.rows('select type, input from operations where tenant_id = $1', [tenantId]);

  describe('the deletion of a connector', () => {
    it('keeps its records by default, and the connector is listed with their number', async () => {
      const id = await connector('HR', 'user', 4);
      expect((await operator('GET', `${tenant}/connectors/${id}/deletion`)).body).toEqual({
        connector_id: id,
        live_records: 3,
      });
      expect((await operator('DELETE', `${tenant}/connectors/${id}`)).status).toBe(204);
      expect(await jobsOf(id)).toEqual([]);
      const { body } = await operator('GET', `${tenant}/deleted-connectors`);
      expect(body).toMatchObject({ total: 1, data: [{ id, name: 'HR', records: 'user', live_records: 3 }] });
      expect((await operator('GET', `${tenant}/deleted-connectors/${id}`)).body).toEqual(body.data[0]);
      expect((await operator('GET', `${tenant}/connectors/${id}`)).status).toBe(404);
      expect((await operator('GET', `${tenant}/connectors/${id}/deletion`)).status).toBe(404);
    });

    it('queues one retirement, which a repeated request returns', async () => {
      const id = await connector('HR', 'user', 2);
      expect((await operator('DELETE', `${tenant}/connectors/${id}?records=retire`)).status).toBe(204);
      const again = await operator('POST', `${tenant}/deleted-connectors/${id}/retire`);
      expect(again).toMatchObject({ status: 202, body: { status: 'queued' } });
      expect(await jobsOf(id)).toEqual([{ mode: 'full', retires: true, status: 'queued' }]);
      expect((await operator('GET', `${tenant}/sync-jobs/${again.body.job_id}`)).body).toMatchObject({ retires: true });
    });

    it('requests the hand-over of its records in the same transaction', async () => {
      const [id, to] = [await connector('HR', 'user', 2), await connector('New')];
      expect((await operator('DELETE', `${tenant}/connectors/${id}?records=hand_over&to=${to}`)).status).toBe(204);
      expect(await operationsOf()).toEqual([
        { type: 'connector.hand_over', input: { from_id: uuid(id), to_id: uuid(to) } },
      ]);
    });

    it('deletes nothing if the hand-over is impossible', async () => {
      const id = await connector('HR', 'user', 2);
      const [accounts, busy] = [await connector('LDAP', 'account'), await connector('Busy')];
      await gateway.fixture.job(tenantId, uuid(busy) ?? '', 'running');
      const attempts: [string, number, string][] = [
        ['records=hand_over', 400, 'to is required with records=hand_over, and only then'],
        [`to=${busy}`, 400, 'to is required with records=hand_over, and only then'],
        ['records=shred', 400, 'records must be one of keep, retire, hand_over'],
        [`records=hand_over&to=${id}`, 404, 'not found'],
        ['records=hand_over&to=con_x', 404, 'not found'],
        [`records=hand_over&to=${accounts}`, 400, 'to must be a connector of user records, got one of account records'],
        [`records=hand_over&to=${busy}`, 400, 'a sync job of one of the connectors has not ended: nothing was deleted'],
      ];
      for (const [query, status, error] of attempts) {
        expect(await operator('DELETE', `${tenant}/connectors/${id}?${query}`)).toEqual({ status, body: { error } });
      }
      expect((await operator('GET', `${tenant}/connectors/${id}`)).status).toBe(200);
      expect(await operationsOf()).toEqual([]);
    });
  });

  describe('a deleted connector', () => {
    it('is marked where an identity is explained', async () => {
      const id = await connector('HR', 'user', 2);
      const identity = newUuid();
      const attribute = { field_name: 'email', field_value: 'a@x.org', source_id: id, priority: 1, updated_at: 'now' };
      await gateway.fixture.rows(
        `insert into identities (id, tenant_id, status, created_at, updated_at, document)
       values ($1, $2, 'active', now(), now(), $3)`,
        [identity, tenantId, JSON.stringify({ id: 'idn_1', attributes: [attribute] })],
      );
      await gateway.fixture.rows(
        `update source_records set identity_id = $1 where tenant_id = $2 and status = 'active'`,
        [identity, tenantId],
      );
      await operator('DELETE', `${tenant}/connectors/${id}`);
      const { body } = await operator('GET', `${tenant}/identities/${encodeId('identity', identity)}/explain`);
      const deletedAt = (await operator('GET', `${tenant}/deleted-connectors/${id}`)).body.deleted_at;
      expect(body.fields[0].winner).toMatchObject({ connector: 'HR', connector_deleted_at: deletedAt });
      expect(body.records[0]).toMatchObject({ connector_id: id, connector_deleted_at: deletedAt });
    });

    it('is the only kind of connector that can be retired or hand over its records', async () => {
      const [id, to] = [await connector('HR'), await connector('New')];
      expect((await operator('POST', `${tenant}/deleted-connectors/${id}/retire`)).status).toBe(404);
      expect((await operator('POST', `${tenant}/deleted-connectors/${id}/hand-over`, { to })).status).toBe(404);
      expect((await operator('GET', `${tenant}/deleted-connectors/${id}`)).status).toBe(404);
    });
  });
});
