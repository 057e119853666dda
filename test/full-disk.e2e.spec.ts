import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeId, newUuid } from '@idsync/contracts';
import {
  type BrokerVhost,
  createVhost,
  DirectoryFixture,
  freePort,
  hasBroker,
  PrivatePostgres,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { directoryFaults } from '../apps/directory/test/directory-faults.js';
import { type Answer, Client, createTenant, jobEnd, sync, type Tenant } from './support/client.js';
import { brokenInvariants, settled, watchFences } from './support/delivery-proof.js';
import { connectPeople } from './support/people-file.js';
import { adminToken, environmentOf, programOf } from './support/services.js';
import { SmallDisk } from './support/small-disk.js';
import { Supervised } from './support/supervised.js';

jest.setTimeout(600_000);

const unavailable = SmallDisk.unavailable();
if (unavailable) process.stderr.write(`Skipping the test with a full disk: ${unavailable}\n`);

const names = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'] as const;
const people = { before: 200, full: 4_000, after: 100 };
const maxRequests = 200;
const endWithinMs = 240_000;

(unavailable ? describe.skip : describe)('four services whose PostgreSQL has a full disk', () => {
  let disk: SmallDisk;
  let postgres: PrivatePostgres;
  let vhost: BrokerVhost | undefined;
  let sourcesDir: string;
  let services: Supervised[] = [];
  let admin: DirectoryFixture;
  let tenant: Tenant;

  beforeAll(async () => {
    disk = SmallDisk.mount(2_048);
    postgres = await PrivatePostgres.start(disk.folder);
    vhost = hasBroker() ? await createVhost() : undefined;
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-full-'));
    admin = DirectoryFixture.connect(postgres.url);
    await watchFences(admin);
    const port = await freePort();
    const env = environmentOf({ databaseUrl: postgres.url, amqpUrl: vhost?.url, sourcesDir }, port);
    services = names.map((name) => new Supervised(name, [programOf(name)], env));
    for (const service of services) service.start();
    const url = `http://127.0.0.1:${port}`;
    const healthy = () =>
      fetch(`${url}/v1/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(healthy, 'the gateway', 90_000);
    tenant = await createTenant(Client.operator(url, adminToken), 'Full');
  });

  afterAll(async () => {
    await disk?.free();
    await Promise.all(services.map((service) => service.stop()));
    await admin?.close();
    await vhost?.drop();
    await postgres?.remove();
    await disk?.remove();
    if (sourcesDir) await rm(sourcesDir, { recursive: true, force: true });
  });

  const trigger = (connector: string): Promise<Answer | undefined> =>
    tenant.client
      .post('/v1/sync/trigger', { connector_id: connector, idempotency_key: newUuid() })
      .catch(() => undefined);

  it('lose no acknowledged request, and continue without intervention when space is available', async () => {
    await sync(tenant, await connectPeople(tenant, sourcesDir, 'before', people.before));
    const large = await connectPeople(tenant, sourcesDir, 'full', people.full);
    await disk.fill();
    const jobs: string[] = [];
    let refused: Answer | undefined;
    for (let asked = 0; asked < maxRequests && (refused?.status ?? 0) < 500; asked += 1) {
      const answer = await trigger(large);
      if (answer?.status === 202) jobs.push(answer.body.job_id);
      else refused = answer ?? { status: 503, headers: new Headers(), body: { error: 'no answer' } };
      await pause(20);
    }
    expect(refused?.body).toEqual({ error: expect.any(String) });

    await disk.free();
    const answers = () =>
      admin.rows('select 1').then(
        () => true,
        () => false,
      );
    // PostgreSQL recovers by itself, unless its recovery also ran out of space; then its supervisor restarts it.
    await until(answers, 'PostgreSQL', 10_000).catch(() => postgres.restart());
    for (const job of jobs) expect(await jobEnd(tenant, job, endWithinMs)).toMatchObject({ status: 'completed' });
    for (const name of ['full', 'after'] as const) {
      const connector = name === 'full' ? large : await connectPeople(tenant, sourcesDir, name, people.after);
      expect(await sync(tenant, connector)).toMatchObject({ status: 'completed' });
    }
    await settled(admin, endWithinMs);
    const allPeople = Object.values(people).reduce((sum, count) => sum + count);
    expect((await tenant.client.get('/v1/identities?limit=1')).body.total).toBe(allPeople);
    const [events] = await admin.rows(
      `select count(*) filter (where type = 'identity.created')::int as created from events`,
    );
    expect(events).toEqual({ created: allPeople });
    expect(await directoryFaults(admin, decodeId('tenant', tenant.id) ?? '')).toEqual([]);
    expect(await brokenInvariants(admin)).toEqual({});
    // A service may end with one line and is restarted; a stack trace is an unexpected error.
    expect(services.flatMap(({ unexpectedEnds }) => unexpectedEnds).filter((words) => /^ +at /m.test(words))).toEqual(
      [],
    );
  });
});
