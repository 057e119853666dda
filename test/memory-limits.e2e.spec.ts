import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  freePort,
  hasBroker,
  MemoryLimit,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Answer, Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { LimitedService } from './support/limited-service.js';
import { adminToken, environmentOf, type ServiceProcessName } from './support/services.js';

jest.setTimeout(1_000_000);

const MiB = 1_024 * 1_024;
/** As in docker-compose.yml. */
const limits: Record<ServiceProcessName, number> = {
  gateway: 384 * MiB,
  directory: 512 * MiB,
  'sync-worker': 512 * MiB,
  'webhook-dispatcher': 384 * MiB,
};
const names = Object.keys(limits) as ServiceProcessName[];
const people = 120;

const unavailable = MemoryLimit.unavailable() ?? (hasBroker() ? undefined : 'AMQP_URL is not set');
if (unavailable) process.stderr.write(`\nSkipping the tests with memory limits: ${unavailable}\n`);

(unavailable ? describe.skip : describe)('services with the memory limits of the Compose file', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost;
  let sourcesDir: string;
  let fixture: DirectoryFixture;
  let tenant: Tenant;
  let connector: string;
  const groups = new Map<ServiceProcessName, MemoryLimit>();
  const services = new Map<ServiceProcessName, LimitedService>();

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = await createVhost();
    fixture = DirectoryFixture.connect(database.url);
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-memory-'));
    const port = await freePort();
    for (const name of names) {
      const group = MemoryLimit.create(limits[name]);
      groups.set(name, group);
      const env = environmentOf({ databaseUrl: database.url, amqpUrl: vhost.url, sourcesDir }, port);
      services.set(name, new LimitedService(name, env, group));
    }
    const url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${url}/v1/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isUp, 'the health of the gateway', 60_000);
    tenant = await createTenant(Client.operator(url, adminToken), 'Large');
    connector = await createConnector(tenant, {
      type: 'jsonl',
      name: 'HR',
      // The tests replace all people.
      safeguard: { max_created_percent: 100, max_changed_percent: 100 },
      config: {
        path: 'people.jsonl',
        external_id: 'id',
        fields: {
          email: 'mail',
          display_name: 'name',
          groups: 'groups[]',
          'attributes.tags': 'tags[]',
          'attributes.notes': 'notes[]',
          'attributes.codes': 'codes[]',
        },
      },
    });
    await tenant.client.post('/v1/webhooks', { callback_url: 'https://receiver.invalid/events', events: ['*'] });
  });

  afterAll(async () => {
    await Promise.all([...services.values()].map((service) => service.stop()));
    for (const group of groups.values()) await group.remove();
    await fixture?.close();
    await vhost?.drop();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  const write = (lines: readonly object[]) =>
    writeFile(join(sourcesDir, 'people.jsonl'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const person = (at: number, more: object = {}) => ({
    id: `E${at}`,
    mail: `e${at}@example.org`,
    name: `P${at}`,
    ...more,
  });
  const list = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, at) => `${at}-`.padEnd(bytes, 'abcdefgh'));
  /** A quarter of the records has the largest values, the others have the maximum number of values. */
  const largest = (at: number) =>
    at % 4 === 0
      ? person(at, { notes: list(15, 16_000) })
      : person(at, { groups: list(995, 55), tags: list(1_000, 55), notes: list(1_000, 55), codes: list(1_000, 55) });
  const ends = () => [...services.values()].flatMap((service) => service.ends);
  const kills = () => [...groups.values()].reduce((sum, group) => sum + group.kills, 0);
  // 120 of the largest records have 360 000 terms by which lists are filtered: 30 s alone on two cores.
  const run = (): Promise<Answer['body']> => sync(tenant, connector, 300_000);

  it('skip and report a line of 7 MB, keep its record unchanged, and sync all others', async () => {
    await write(Array.from({ length: 20 }, (_, at) => person(at)));
    expect(await run()).toMatchObject({ status: 'completed' });
    await write(Array.from({ length: 21 }, (_, at) => person(at, at === 17 ? { tags: list(20_000, 350) } : {})));
    expect(await run()).toMatchObject({
      status: 'completed_with_errors',
      error_message: '1 record was left out; line 18: attributes.tags has 20 000 values, 1 000 are allowed',
    });
    const users = await tenant.client.get('/v1/users?limit=200');
    expect(users.body.data.map((user: { external_id: string }) => user.external_id).sort()).toEqual(
      Array.from({ length: 21 }, (_, at) => `E${at}`).sort(),
    );
    expect({ ends: ends(), kills: kills() }).toEqual({ ends: [], kills: 0 });
  });

  it('sync people whose records change between the largest allowed size and a small size', async () => {
    const allPeople = Array.from({ length: people }, (_, at) => at);
    await write(allPeople.map(largest));
    expect(await run()).toMatchObject({ status: 'completed' });
    await write(allPeople.map((at) => person(at, { name: `Small ${at}` })));
    expect(await run()).toMatchObject({ status: 'completed' });
    await write(allPeople.map(largest));
    expect(await run()).toMatchObject({ status: 'completed' });
    expect({ ends: ends(), kills: kills() }).toEqual({ ends: [], kills: 0 });
  });

  it('return complete pages of the largest identities to concurrent clients', async () => {
    const walk = async (path: string, size = 200) => {
      const ids: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await tenant.client.get(`${path}?limit=${size}&cursor=${cursor}`);
        expect(page.status).toBe(200);
        ids.push(...page.body.data.map(({ id }: { id: string }) => id));
        if (page.body.next_cursor === undefined) return ids;
        cursor = page.body.next_cursor;
      }
    };
    const identities = await walk('/v1/identities');
    expect(new Set(identities).size).toBe(people);
    for (const path of ['/v1/identities', '/v1/users']) {
      const walks = await Promise.all(Array.from({ length: 4 }, () => walk(path)));
      for (const ids of walks) expect(ids).toHaveLength(people);
    }
    const byOffset: string[] = [];
    for (let total = 1; byOffset.length < total; ) {
      const page = await tenant.client.get(`/v1/identities?limit=200&offset=${byOffset.length}`);
      total = page.body.total;
      byOffset.push(...page.body.data.map(({ id }: { id: string }) => id));
    }
    expect(byOffset).toEqual(identities);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        let sequence = 0;
        for (let more = true; more; ) {
          const page = await tenant.client.get(`/v1/events?limit=200&after=${sequence}`);
          const first = sequence + 1;
          sequence = page.body.next_after;
          const sequences = page.body.data.map((event: { sequence: number }) => event.sequence);
          expect(sequences).toEqual(Array.from({ length: sequence - first + 1 }, (_, nth) => first + nth));
          more = page.body.has_more;
        }
      }),
    );
    const [some] = identities;
    expect(await walk(`/v1/identities/${some}/history`)).not.toEqual([]);
    expect({ ends: ends(), kills: kills() }).toEqual({ ends: [], kills: 0 });
  });
});
