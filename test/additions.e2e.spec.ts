import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrokerVhost, createTestDatabase, createVhost, eachBus, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Answer, Client, createConnector, createTenant, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

jest.setTimeout(120_000);

type Body = Answer['body'];

eachBus(describe)('a source that adds or renames many people, over %s', (driver) => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let sourcesDir: string;
  let services: Services;
  let tenant: Tenant;
  let connector: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-additions-'));
    services = await Services.start({ databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir });
  });

  beforeEach(async () => {
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Additions');
    connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: {
        path: 'hr.csv',
        external_id: 'id',
        fields: { employee_number: 'number', email: 'mail', display_name: 'name' },
      },
    });
  });

  afterAll(async () => {
    await services?.stop();
    await vhost?.drop();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  /** Writes a file with `count` people, whose ids, numbers and names start with these letters. */
  const list = (count: number, { id = 'a', number = 'E', name = 'Person' } = {}) =>
    writeFile(
      join(sourcesDir, 'hr.csv'),
      `id,number,mail,name\n${Array.from({ length: count }, (_, n) => `${id}${n},${number}${n},p${n}@example.org,${name} ${n}\n`).join('')}`,
    );

  const jobs = () => `/admin/v1/tenants/${tenant.id}/sync-jobs`;

  async function until(id: string, ...statuses: string[]): Promise<Body> {
    for (let attempt = 0; attempt < 1_200; attempt += 1) {
      const { body } = await tenant.operator.get(`${jobs()}/${id}`);
      if (statuses.includes(body.status)) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the job did not become ${statuses}`);
  }

  async function sync(): Promise<Body> {
    const triggered = await tenant.operator.post(jobs(), { connector_id: connector });
    return until(triggered.body.job_id, 'completed', 'completed_with_errors', 'failed', 'quarantined');
  }

  const total = async (): Promise<number> => (await tenant.client.get('/v1/identities?limit=1')).body.total;
  const plan = async (id: string): Promise<Body> => (await tenant.operator.get(`${jobs()}/${id}/plan?limit=1`)).body;
  const eventTypes = async (): Promise<string[]> =>
    (await tenant.client.get('/v1/events?limit=200')).body.data.map((event: { type: string }) => event.type);

  it('keeps the people of a file whose ids are all new, by their employee numbers', async () => {
    await list(15);
    await sync();
    const before = await eventTypes();
    await list(15, { id: 'b' });
    expect(await sync()).toMatchObject({ status: 'completed', records_deleted: 0 });
    expect(await total()).toBe(15);
    const after = (await eventTypes()).filter((type) => !type.startsWith('sync.'));
    expect(after.slice(before.filter((type) => !type.startsWith('sync.')).length)).toEqual(
      Array.from({ length: 15 }, () => 'user.updated'),
    );
    const { body } = await tenant.client.get('/v1/users?limit=1');
    expect(body.data[0].external_id).toBe('b0');
  });

  it('is held before anyone is created if ids and numbers are new, and explains why', async () => {
    await list(15);
    await sync();
    await list(15, { id: 'b', number: 'N' });
    const held = await sync();
    const text = 'replace 15 of 15 records by new ids with the same email, more than 10 % and more than 5';
    expect(held).toMatchObject({ status: 'quarantined', note: `quarantined: the run would ${text}` });
    expect(await plan(held.job_id)).toMatchObject({
      counts: { create: 15, delete: 15 },
      reasons: [
        {
          rule: 'rekeyed',
          field: 'email',
          count: 15,
          of: 15,
          max_percent: 10,
          max_records: 5,
          text,
          examples: ['a0 → b0', 'a1 → b1', 'a2 → b2', 'a3 → b3', 'a4 → b4'],
        },
      ],
    });
    await tenant.operator.post(`${jobs()}/${held.job_id}/cancel`, { reason: 'new ids' });
    await until(held.job_id, 'cancelled');
    expect(await total()).toBe(15);
  });

  it('is held if a column is shifted, and adds and changes people after the release', async () => {
    await list(30);
    await sync();
    await list(60, { name: 'Department' });
    const held = await sync();
    expect((await plan(held.job_id)).reasons).toMatchObject([
      { rule: 'created', count: 30, of: 30, examples: ['a30', 'a31', 'a32', 'a33', 'a34'] },
      { rule: 'changed', field: 'display_name', count: 30, of: 30, examples: ['a0', 'a1', 'a2', 'a3', 'a4'] },
    ]);
    expect(await total()).toBe(30);
    await tenant.operator.post(`${jobs()}/${held.job_id}/release`, { reason: 'it is right' });
    expect(await until(held.job_id, 'completed')).toMatchObject({ decision: { action: 'released' } });
    expect(await total()).toBe(60);
    const { body } = await tenant.client.get('/v1/users?limit=1');
    expect(body.data[0].display_name).toBe('Department 0');
  });
});
