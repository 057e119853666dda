import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeId } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, freePort, MemoryLimit, type TestDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, createConnector, createTenant } from './support/client.js';
import { LimitedService } from './support/limited-service.js';
import { adminToken, environmentOf } from './support/services.js';

const unavailable = MemoryLimit.unavailable();
if (unavailable) process.stderr.write(`\nThe memory of the SCIM service is not tested: ${unavailable}\n`);

/** Memory limit of the gateway in docker-compose.yml. */
const composeLimit = 384 * 1024 * 1024;
const users = 1_000;
const upWithinMs = 90_000;
/** The largest possible users: long texts, or very many values. */
const documents = [
  { title: 'q'.repeat(240_000) },
  { 'urn:x:y:z': Object.fromEntries(Array.from({ length: 9_500 }, (_, n) => [`n${n}`, 'é'.repeat(6)])) },
];

(unavailable ? describe.skip : describe)('a gateway with the memory limit of docker-compose.yml', () => {
  let database: TestDatabase;
  let fixture: DirectoryFixture;
  let limit: MemoryLimit;
  let gateway: LimitedService;
  let url: string;
  const providers: Client[] = [];
  let first: { path: string; token: string };

  beforeAll(async () => {
    database = await createTestDatabase();
    fixture = DirectoryFixture.connect(database.url);
    limit = MemoryLimit.create(composeLimit);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    gateway = new LimitedService(
      'gateway',
      environmentOf({ databaseUrl: database.url, sourcesDir: tmpdir() }, port),
      limit,
    );
    await until(async () => (await health()) === 200, 'the health of the gateway', upWithinMs);
    for (const document of documents) providers.push(await providerOf(document));
  });

  afterAll(async () => {
    await gateway?.stop();
    await limit?.remove();
    await fixture?.close();
    await database?.drop();
  });

  /** The status of the health check, or why there is none. */
  const health = () =>
    fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(30_000) }).then(
      ({ status }) => status,
      (error: Error) => `${error.cause ?? error}; killed: ${limit.kills}, ends: ${gateway.ends}`,
    );

  /** Returns the client of a connector with many pushed users. */
  async function providerOf(document: object): Promise<Client> {
    const tenant = await createTenant(Client.operator(url, adminToken), 'Pushed');
    const connector = await createConnector(tenant, { type: 'scim-push', name: 'Okta', config: {} });
    const path = `/admin/v1/tenants/${tenant.id}/connectors/${connector}/tokens`;
    const { body } = await tenant.operator.post(path, { name: 'Okta' });
    await fixture.rows(
      `with counted as (insert into scim_positions (tenant_id, connector_id, users) values ($1, $2::uuid, $4::int))
       insert into scim_resources (tenant_id, connector_id, kind, id, name_key, document, position)
       select $1, $2::uuid, 'User', gen_random_uuid(), $2::text || ' User user ' || n,
              $3::jsonb || jsonb_build_object('userName', 'user ' || n), n from generate_series(1, $4::int) n`,
      [decodeId('tenant', tenant.id), decodeId('connector', connector), JSON.stringify(document), users],
    );
    first ??= { path: body.path, token: body.token };
    return new Client(`${url}${body.path}`, { authorization: `Bearer ${body.token}` });
  }

  /** Runs the work; resolves with its results after health checks were answered continuously. */
  async function whileHealthy<T>(work: Promise<T>[]): Promise<T[]> {
    let over = false;
    const all = Promise.all(work).finally(() => {
      over = true;
    });
    let asked = 0;
    while (!over) {
      expect(await health()).toBe(200);
      asked += 1;
      await sleep(20);
    }
    expect(asked).toBeGreaterThan(0);
    return all;
  }

  it('survives scans and large pages of the largest users, and answers its health check throughout', async () => {
    const calls = providers.flatMap((provider) =>
      Array.from({ length: 4 }, () => [
        provider.get('/Users?filter=title%20co%20%22q%22'),
        provider.get('/Users?count=200'),
      ]).flat(),
    );
    const answers = await whileHealthy(calls);
    expect(limit.kills).toBe(0);
    expect(gateway.ends).toEqual([]);
    for (const { status, body } of answers) {
      if (status === 200) {
        expect(body.totalResults).toBe(users);
        expect(body.itemsPerPage).toBe(body.Resources.length);
        expect(JSON.stringify(body).length).toBeLessThan(3 * 1024 * 1024);
      } else if (status === 503) expect(body.detail).toBe('the connector is busy: try again later');
      else expect(body).toMatchObject({ status: '400', scimType: 'tooMany' });
    }
    expect((await providers[0]?.get('/Users?count=200'))?.status).toBe(200);
  });

  it('returns every user by startIndex although its pages are shorter than count', async () => {
    const [provider] = providers;
    const names = new Set<string>();
    for (let startIndex = 1; startIndex <= 40; ) {
      const { body } = (await provider?.get(`/Users?count=200&startIndex=${startIndex}&attributes=userName`)) ?? {};
      expect(body.itemsPerPage).toBeGreaterThan(0);
      for (const { userName } of body.Resources) names.add(userName);
      startIndex += body.itemsPerPage;
      expect(names.size).toBe(startIndex - 1);
    }
  });

  it('survives groups of 8 MiB pushed in parallel', async () => {
    const members = Array.from({ length: 120_000 }, (_, n) => ({ value: `scr_${String(n).padStart(26, '0')}` }));
    const group = { displayName: 'All', password: 'é'.repeat(1_500_000), members };
    expect(JSON.stringify(group).length).toBeGreaterThan(6_000_000);
    const calls = providers.flatMap((provider) =>
      Array.from({ length: 3 }, () => provider.call('POST', '/Groups', group)),
    );
    const answers = await whileHealthy(calls);
    expect(limit.kills).toBe(0);
    expect(gateway.ends).toEqual([]);
    for (const { status, body } of answers) {
      if (status === 503) expect(body.detail).toBe('the connector is busy: try again later');
      else expect(body).toMatchObject({ status: '400', detail: expect.stringContaining('unknown resource') });
    }
  });

  it('survives clients that do not read their pages', async () => {
    const port = Number(new URL(url).port);
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      socket.on('error', () => undefined);
      socket.write(
        `GET ${first.path}/Users?count=200 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first.token}\r\n\r\n`,
      );
      return socket;
    });
    await whileHealthy([sleep(3_000)]);
    expect(limit.kills).toBe(0);
    expect(gateway.ends).toEqual([]);
    for (const socket of sockets) socket.destroy();
  });
});
