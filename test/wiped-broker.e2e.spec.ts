import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeId, encodeId } from '@idsync/contracts';
import {
  brokerProgram,
  createTestDatabase,
  DirectoryFixture,
  PrivateBroker,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { directoryFaults } from '../apps/directory/test/directory-faults.js';
import { FaultyReceiver } from '../apps/webhook-dispatcher/test/faulty-receiver.js';
import { Client, createTenant, jobEnd, sync, type Tenant } from './support/client.js';
import { brokenInvariants, settled, wantedPairs, watchFences } from './support/delivery-proof.js';
import { connectPeople } from './support/people-file.js';
import { seededRandom } from './support/seeded-random.js';
import { Services, type ServicesOptions } from './support/services.js';

jest.setTimeout(420_000);

const hasProgram = existsSync(brokerProgram);
if (!hasProgram) process.stderr.write(`${brokerProgram} is not installed: the data loss of RabbitMQ is not tested.\n`);

const people = { early: 1_200, running: 3_000, queued: 1_000, later: 50 };
const totalPeople = Object.values(people).reduce((sum, count) => sum + count);

(hasProgram ? describe : describe.skip)('a RabbitMQ that loses its data', () => {
  let database: TestDatabase;
  let broker: PrivateBroker;
  let admin: DirectoryFixture;
  let sourcesDir: string;
  let options: ServicesOptions;
  let services: Services;
  let others: Services | undefined;
  let receiver: FaultyReceiver;
  let tenant: Tenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    broker = await PrivateBroker.start();
    admin = DirectoryFixture.connect(database.url);
    await watchFences(admin);
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-wiped-'));
    options = { databaseUrl: database.url, amqpUrl: broker.url, sourcesDir, allowedCidrs: '127.0.0.0/8' };
    services = await Services.start(options);
    receiver = await FaultyReceiver.start({ slowMs: 5 }, seededRandom(1));
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Wiped');
  });

  afterAll(async () => {
    await Promise.all([services?.stop(), others?.stop()]);
    await receiver?.close();
    await admin?.close();
    await broker?.remove();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  const jobs = async (...ids: string[]) => {
    const rows = await admin.rows<{ status: string; written: number; processed: number }>(
      `select status, batches_written as written, batches_processed as processed from sync_jobs
        where id = any($1) order by array_position($1::uuid[], id)`,
      [ids.map((id) => decodeId('job', id))],
    );
    return rows;
  };
  /** Waits until the outboxes of these services are empty. */
  const published = () =>
    until(
      async () => {
        const waiting = await admin.rows(
          `select 1 from outbox where producer in ('idsync_gateway', 'idsync_sync_worker') limit 1`,
        );
        return waiting.length === 0;
      },
      'an empty outbox',
      90_000,
    );
  const statuses = async () => {
    const [operation] = await admin.rows<{ status: string }>('select status from operations');
    const [replay] = await admin.rows<{ status: string }>('select status from webhook_replays');
    return [operation?.status, replay?.status];
  };
  const trigger = async (connector: string): Promise<string> =>
    (await tenant.client.post('/v1/sync/trigger', { connector_id: connector })).body.job_id;

  it('delays all work, but syncs, operations, replays and deliveries are all completed once', async () => {
    // Only a replay can send events that occurred before the webhook existed.
    await sync(tenant, await connectPeople(tenant, sourcesDir, 'early', people.early));
    await until(async () => {
      const behind = await admin.rows(
        'select 1 from event_sequences s left join fan_out_positions p using (tenant_id) where p.sequence is distinct from s.last',
      );
      return behind.length === 0;
    }, 'the fan-out of all events');
    const webhook = await tenant.client.post('/v1/webhooks', {
      callback_url: receiver.url,
      events: ['identity.*', 'sync.job.*'],
    });
    receiver.secret = webhook.body.signing_secret;

    const running = await trigger(await connectPeople(tenant, sourcesDir, 'running', people.running));
    await until(async () => (await jobs(running))[0]?.processed !== 0, 'an applied batch');
    await services.kill('directory');
    await services.kill('webhook-dispatcher');
    // From here on no service consumes: requested work exists only in RabbitMQ.
    const queued = await trigger(await connectPeople(tenant, sourcesDir, 'queued', people.queued));
    const tenantPath = `/admin/v1/tenants/${tenant.id}`;
    const two = (await tenant.client.get('/v1/identities?limit=2')).body.data as { id: string }[];
    const merging = tenant.operator.post(`${tenantPath}/identities/${two[0]?.id}/merge`, {
      from_ids: [two[1]?.id],
      reason: 'one person',
    });
    const replay = await tenant.operator.post(`${tenantPath}/webhooks/${webhook.body.id}/replay`, {
      since: '2020-01-01T00:00:00Z',
      until: webhook.body.created_at,
    });
    expect(replay.status).toBe(202);
    await until(async () => {
      const written = (await jobs(running, queued)).map((job) => job.written);
      return written[0] === people.running / 1_000 && written[1] === people.queued / 1_000;
    }, 'all batches');
    await until(async () => (await admin.rows('select 1 from operations')).length > 0, 'an operation');
    await published();
    await broker.wipe();
    expect(await merging).toMatchObject({ status: 202, body: { status: 'queued' } });
    services.launch('directory');
    services.launch('webhook-dispatcher');

    // Connected services find the new broker and handle new work; the lost messages stay lost.
    const later = await connectPeople(tenant, sourcesDir, 'later', people.later);
    expect(await sync(tenant, later)).toMatchObject({ status: 'completed' });
    expect(await statuses()).toEqual(['queued', 'queued']);
    expect((await jobs(queued))[0]).toMatchObject({ status: 'running', processed: 0 });

    // After a quarter of an hour, housekeeping republishes them.
    for (const [table, column] of [
      ['sync_batches', 'announced_at'],
      ['sync_jobs', 'sweep_asked_at'],
      ['operations', 'announced_at'],
      ['webhook_replays', 'announced_at'],
    ]) {
      await admin.rows(`update ${table} set ${column} = ${column} - interval '16 minutes'`);
    }
    others = await Services.start(options);
    for (const job of [running, queued]) {
      expect(await jobEnd(tenant, job)).toMatchObject({ status: 'completed', progress_pct: 100 });
    }
    await until(async () => String(await statuses()) === 'done,done', 'the operation and the replay', 90_000);
    await settled(admin, 120_000);

    expect(await brokenInvariants(admin)).toEqual({});
    expect(await directoryFaults(admin, decodeId('tenant', tenant.id) ?? '')).toEqual([]);
    expect((await tenant.client.get('/v1/identities?limit=1')).body.total).toBe(totalPeople - 1);
    const [events] = await admin.rows(
      `select count(*) filter (where type = 'identity.created')::int as created,
              count(*) filter (where type = 'identity.merged')::int as merged,
              count(*) filter (where type = 'sync.job.completed')::int as completed from events`,
    );
    expect(events).toEqual({ created: totalPeople, merged: 1, completed: 4 });
    const wanted = (await wantedPairs(admin)).map(({ eventId }) => encodeId('event', eventId));
    expect(new Set(receiver.taken.map(({ id }) => id))).toEqual(new Set(wanted));
    expect(receiver.taken.filter(({ signed }) => !signed)).toEqual([]);
  });
});
