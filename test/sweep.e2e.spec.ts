import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrokerVhost, createTestDatabase, createVhost, eachBus, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Answer, Client, createConnector, createTenant, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

jest.setTimeout(120_000);

type Body = Answer['body'];

eachBus(describe)('records that a source no longer lists or disables, over %s', (driver) => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let sourcesDir: string;
  let services: Services;
  let tenant: Tenant;
  let connector: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-sweep-'));
    services = await Services.start({ databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir });
  });

  beforeEach(async () => {
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Sweep');
    connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: {
        path: 'hr.csv',
        external_id: 'id',
        fields: { employee_number: 'id', display_name: 'name', status: 'status' },
      },
    });
  });

  afterAll(async () => {
    await services?.stop();
    await vhost?.drop();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  /** Writes a file with the people `from` to `to` and the lines `more`. */
  const list = (from: number, to: number, more = '') =>
    writeFile(
      join(sourcesDir, 'hr.csv'),
      `id,name,status\n${Array.from({ length: to - from }, (_, at) => `p${from + at},Person ${from + at},\n`).join('')}${more}`,
    );

  const jobs = () => `/admin/v1/tenants/${tenant.id}/sync-jobs`;
  const job = async (id: string): Promise<Body> => (await tenant.operator.get(`${jobs()}/${id}`)).body;

  async function until(id: string, ...statuses: string[]): Promise<Body> {
    for (let look = 0; look < 1_200; look += 1) {
      const body = await job(id);
      if (statuses.includes(body.status)) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the job did not become ${statuses}: ${JSON.stringify(await job(id))}`);
  }

  /** Runs a job until it ends or is quarantined. */
  async function sync(options: object = {}): Promise<Body> {
    const triggered = await tenant.operator.post(jobs(), { connector_id: connector, ...options });
    return until(triggered.body.job_id, 'completed', 'completed_with_errors', 'failed', 'cancelled', 'quarantined');
  }

  const total = async (status: string): Promise<number> =>
    (await tenant.client.get(`/v1/identities?limit=1&status=${status}`)).body.total;

  const person = async (name: string): Promise<Body> => {
    for (const status of ['active', 'deleted']) {
      const { body } = await tenant.client.get(`/v1/identities?limit=200&status=${status}`);
      const found = body.data.find((each: { display_name: string }) => each.display_name === name);
      if (found) return found;
    }
    throw new Error(`no person ${name}`);
  };

  it('are deleted, and keep their identity when they are listed again', async () => {
    await list(0, 3);
    await sync();
    const before = await person('Person 2');
    await list(0, 2);
    expect(await sync()).toMatchObject({ status: 'completed', records_deleted: 1 });
    expect(await person('Person 2')).toMatchObject({ id: before.id, status: 'deleted' });
    const history = await tenant.client.get(`/v1/identities/${before.id}/history`);
    expect(history.body.data.map((event: { event_type: string }) => event.event_type)).toEqual(
      expect.arrayContaining(['user.deleted', 'identity.deleted', 'lifecycle.leaver']),
    );
    await list(0, 3);
    expect(await sync()).toMatchObject({ status: 'completed', records_deleted: 0 });
    expect(await person('Person 2')).toMatchObject({ id: before.id, status: 'active' });
  });

  it('stay when the file is truncated or a line has no id', async () => {
    await list(0, 5);
    await sync();
    await list(0, 3, 'p3,"Per');
    expect(await sync()).toMatchObject({ status: 'failed', records_deleted: 0 });
    expect(await total('active')).toBe(5);
    await list(0, 3, 'p3\n');
    expect(await sync()).toMatchObject({
      status: 'completed_with_errors',
      note: expect.stringMatching(/^nothing was deleted/),
    });
    expect(await total('active')).toBe(5);
    await list(0, 3, 'p3,Person 3,asleep\n');
    expect(await sync()).toMatchObject({ status: 'completed_with_errors', records_deleted: 1 });
    expect(await person('Person 3')).toMatchObject({ status: 'active' });
    expect(await person('Person 4')).toMatchObject({ status: 'deleted' });
  });

  it('stay when most lines cannot be used, and the connector reports the quarantine', async () => {
    await list(0, 100);
    await sync();
    const health = async () =>
      (await tenant.operator.get(`/admin/v1/tenants/${tenant.id}/connectors/${connector}`)).body.health;
    await list(0, 1, Array.from({ length: 99 }, (_, at) => `p${at + 1},Person ${at + 1},asleep\n`).join(''));
    const held = await sync();
    const note = 'quarantined: 99 of 100 records were left out, more than 50 % and more than 10';
    expect(held).toMatchObject({ status: 'quarantined', note, records_failed: 99 });
    expect(await health()).toBe('quarantined');
    await tenant.operator.post(`${jobs()}/${held.job_id}/release`, { reason: 'they are asleep' });
    expect(await until(held.job_id, 'completed', 'completed_with_errors')).toMatchObject({
      status: 'completed_with_errors',
      records_deleted: 0,
    });
    expect(await health()).toBe('ok');
    expect(await total('active')).toBe(100);
  });

  it('quarantine each run in which they are too many', async () => {
    await list(0, 100);
    await sync();
    await list(0, 75);
    const held = await sync();
    const note = 'quarantined: the run would delete 25 of 100 records, more than 10 % and more than 20';
    expect(held).toMatchObject({ status: 'quarantined', note });
    expect((await tenant.client.get(`/v1/sync/jobs/${held.job_id}`)).body).toMatchObject({
      status: 'quarantined',
      error_message: note,
    });
    expect(await total('active')).toBe(100);

    const plan = (await tenant.operator.get(`${jobs()}/${held.job_id}/plan?limit=10&offset=20`)).body;
    expect(plan).toMatchObject({ state: 'held', known: 100, total: 25, counts: { delete: 25, disable: 0 } });
    expect(plan.data).toHaveLength(5);
    expect(plan.data[4]).toMatchObject({
      action: 'delete',
      record: { kind: 'user', external_id: expect.stringMatching(/^p\d+$/) },
      changes: [{ field: 'status', from: 'active', to: 'deleted' }],
      done: false,
    });

    const decide = (id: string, what: string, body: object) => tenant.operator.post(`${jobs()}/${id}/${what}`, body);
    expect(await decide(held.job_id, 'cancel', {})).toMatchObject({
      status: 400,
      body: { error: 'reason is required' },
    });
    expect(await decide(held.job_id, 'release', {})).toMatchObject({
      status: 400,
      body: { error: 'reason is required' },
    });
    expect((await decide(held.job_id, 'cancel', { reason: 'wrong file', by: 'eve' })).status).toBe(202);
    expect(await until(held.job_id, 'cancelled')).toMatchObject({
      decision: { action: 'cancelled', reason: 'wrong file', by: 'eve' },
      records_deleted: 0,
    });
    expect(await total('active')).toBe(100);
    expect(await decide(held.job_id, 'release', { reason: 'late' })).toMatchObject({ status: 400 });

    const again = await sync();
    expect(again).toMatchObject({ status: 'quarantined' });
    expect((await decide(again.job_id, 'release', { reason: 'a department was sold', by: 'eve' })).status).toBe(202);
    expect(await until(again.job_id, 'completed')).toMatchObject({
      records_deleted: 25,
      progress_pct: 100,
      decision: { action: 'released', reason: 'a department was sold', by: 'eve' },
    });
    expect([await total('active'), await total('deleted')]).toEqual([75, 25]);

    await list(0, 50);
    expect(await sync()).toMatchObject({ status: 'quarantined' });
    expect(await total('active')).toBe(75);
  });

  it('wait for a decision while later runs add people, and a release does not delete who is listed again', async () => {
    await list(0, 100);
    await sync();
    await list(0, 75);
    const held = await sync();
    expect(held).toMatchObject({ status: 'quarantined' });
    await list(0, 80, 'p100,Person 100,active\n');
    expect(await sync()).toMatchObject({
      status: 'completed',
      records_deleted: 0,
      note: `deletions and disables wait for the decision about ${held.job_id}`,
    });
    expect(await total('active')).toBe(101);
    expect((await tenant.operator.get(`${jobs()}/${held.job_id}/plan`)).body).toMatchObject({ total: 20 });
    await tenant.operator.post(`${jobs()}/${held.job_id}/release`, { reason: 'they did leave', by: 'eve' });
    expect(await until(held.job_id, 'completed')).toMatchObject({ records_deleted: 20 });
    expect(await person('Person 79')).toMatchObject({ status: 'active' });
    expect(await total('active')).toBe(81);
    expect(await sync()).toMatchObject({ status: 'completed', records_deleted: 0 });
  });

  it('stay active after each quarantined and cancelled run that would disable too many, until one is released', async () => {
    await list(0, 200);
    await sync();
    const inactive = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `p${from + at},Person ${from + at},inactive\n`).join('');
    await list(0, 0, inactive(0, 200));
    for (let times = 0; times < 3; times += 1) {
      const held = await sync();
      const note = 'quarantined: the run would disable 200 of 200 records, more than 10 % and more than 20';
      expect(held).toMatchObject({ status: 'quarantined', note });
      const plan = (await tenant.operator.get(`${jobs()}/${held.job_id}/plan?limit=10`)).body;
      expect(plan).toMatchObject({ state: 'held', known: 200, total: 200, counts: { delete: 0, disable: 200 } });
      await tenant.operator.post(`${jobs()}/${held.job_id}/cancel`, { reason: 'wrong file' });
      await until(held.job_id, 'cancelled');
      expect([await total('active'), await total('inactive')]).toEqual([200, 0]);
    }
    const held = await sync();
    await tenant.operator.post(`${jobs()}/${held.job_id}/release`, { reason: 'sold' });
    expect(await until(held.job_id, 'completed')).toMatchObject({ records_deleted: 0 });
    expect([await total('active'), await total('inactive')]).toEqual([0, 200]);
  });

  it('are in the plan of a dry run, which is applied completely or refused', async () => {
    await list(0, 4);
    await sync();
    await list(1, 6);
    const dry = await sync({ dry_run: true });
    expect(dry).toMatchObject({ status: 'completed', dry_run: true, records_deleted: 0 });
    expect([await total('active'), await total('deleted')]).toEqual([4, 0]);
    const path = `${jobs()}/${dry.job_id}`;
    expect((await tenant.operator.get(`${path}/plan`)).body).toMatchObject({
      dry_run: true,
      state: 'ready',
      counts: { create: 2, update: 0, disable: 0, delete: 1 },
      total: 3,
    });
    const applied = await tenant.operator.post(`${path}/apply`, { reason: 'as shown' });
    expect(applied).toMatchObject({
      status: 200,
      body: { status: 'done', reason: 'as shown', result: { records_created: 2, records_deleted: 1 } },
    });
    expect([await total('active'), await total('deleted')]).toEqual([5, 1]);

    await list(2, 6);
    const stale = await sync({ dry_run: true });
    await list(2, 7);
    await sync();
    const refused = await tenant.operator.post(`${jobs()}/${stale.job_id}/apply`);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'the directory has changed since the dry run (p1); start another dry run' },
    });
  });

  it('are not deleted when the file is empty', async () => {
    await list(0, 3);
    await sync();
    await list(0, 0);
    expect(await sync()).toMatchObject({ status: 'quarantined', note: expect.stringMatching(/source is empty/) });
    expect(await total('active')).toBe(3);
  });
});
