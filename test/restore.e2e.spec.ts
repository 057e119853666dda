import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeId, encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { databaseUrl, migrate } from '@idsync/database/schema';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  hasBroker,
  PrivatePostgres,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { directoryFaults } from '../apps/directory/test/directory-faults.js';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createTenant, jobEnd, sync, type Tenant } from './support/client.js';
import { brokenInvariants, settled, wantedPairs, watchFences } from './support/delivery-proof.js';
import { dump, dumpUnavailable, restore } from './support/dump.js';
import { connectPeople } from './support/people-file.js';
import { Services } from './support/services.js';

const people = { before: 300, running: 2_500 };
const allPeople = people.before + people.running;

/** Roles that an administrator creates on a new server, as in docs/operations.md. */
const roles = `
  create role idsync login bypassrls password 'restored';
  create role idsync_gateway;
  create role idsync_directory;
  create role idsync_sync_worker;
  create role idsync_webhook_dispatcher;
  grant idsync_gateway, idsync_directory, idsync_sync_worker, idsync_webhook_dispatcher to idsync;`;

const server = process.env.DATABASE_URL ?? '';
const administrator = DirectoryFixture.connect(server);
const why = dumpUnavailable(Number(process.env.IDSYNC_TEST_POSTGRES));
if (why) process.stderr.write(`${why}: skipping the restore of a dump.\n`);

afterAll(() => administrator.close());

(why ? describe.skip : describe)('a dump taken during a job', () => {
  const backup = `idsync_backup_${randomBytes(4).toString('hex')}`;
  const vhosts: BrokerVhost[] = [];
  let dir: string;
  let original: TestDatabase;
  let newServer: PrivatePostgres;
  let receiver: Receiver;
  let secret: string;
  let tenant: Tenant;
  let running: Services | undefined;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'idsync-restore-'));
    original = await createTestDatabase();
    newServer = await PrivatePostgres.startEmpty();
    receiver = await Receiver.start();
    await administrator.rows(`create role ${backup} login password 'backup'`);
    await administrator.rows(`grant pg_read_all_data to ${backup}`);
  });

  afterAll(async () => {
    await running?.stop();
    await receiver?.close();
    await newServer?.remove();
    await original?.drop();
    await administrator.rows(`drop role if exists ${backup}`);
    for (const vhost of vhosts) await vhost.drop();
    await rm(dir, { recursive: true, force: true });
  });

  /** Starts the services on a database with an empty broker. */
  async function start(url: string): Promise<Services> {
    const vhost = hasBroker() ? await createVhost() : undefined;
    if (vhost) vhosts.push(vhost);
    running = await Services.start({
      databaseUrl: url,
      amqpUrl: vhost?.url,
      sourcesDir: dir,
      allowedCidrs: '127.0.0.0/8',
    });
    return running;
  }

  const backupUrl = (): string => {
    const url = new URL(original.url);
    url.username = backup;
    url.password = 'backup';
    return url.toString();
  };

  /** Delays the responses of the receiver until the work is done. */
  async function withoutResponses(work: () => Promise<void>): Promise<void> {
    const held: ServerResponse[] = [];
    receiver.answer = (_, response) => void held.push(response);
    await work();
    receiver.status(204);
    for (const response of held) response.writeHead(204).end();
  }

  /**
   * Does the work between two batches of the running job. The lock on this row blocks the commits of the directory, but
   * no dump.
   */
  async function betweenBatches(asDirectory: Database, work: (lastEvent: number) => Promise<void>): Promise<void> {
    const tenantId = decodeId('tenant', tenant.id) ?? '';
    await until(() =>
      asDirectory.transaction(tenantId, async (tx) => {
        const [sequence] = await tx.query<{ last: number }>(
          'select last from event_sequences where tenant_id = $1 for update',
          [tenantId],
        );
        const [half] = await tx.query(`select from source_records where external_id like 'running-%' limit 1`);
        if (half && sequence) await work(sequence.last);
        return half !== undefined;
      }),
    );
  }

  const processed = async (fixture: DirectoryFixture, job: string) => {
    const [row] = await fixture.rows<{ status: string; processed: number }>(
      'select status, batches_processed as processed from sync_jobs where id = $1',
      [decodeId('job', job)],
    );
    return row ?? { status: 'absent', processed: 0 };
  };

  const names = async (fixture: DirectoryFixture): Promise<string[]> => {
    const shown = await fixture.identities<{ users: { email: string }[] }>(decodeId('tenant', tenant.id) ?? '');
    return shown.map(({ users }) => users.map(({ email }) => email).join()).sort();
  };

  it('is refused for a login that row-level security restricts', async () => {
    await expect(dump(backupUrl(), join(dir, 'refused.dump'))).rejects.toThrow('row-level security');
  });

  it('is restored on another server, where the job completes and deliveries continue', async () => {
    const first = DirectoryFixture.connect(original.url);
    const asDirectory = await Database.connect({ url: original.url, service: 'directory', poolSize: 1 });
    const file = join(dir, 'idsync.dump');
    let job = '';
    let lastOfDump = 0;
    try {
      await administrator.rows(`alter role ${backup} bypassrls`);
      await watchFences(first);
      const services = await start(original.url);
      tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Restored');
      const webhook = await tenant.client.post('/v1/webhooks', {
        callback_url: receiver.url,
        events: ['identity.*', 'sync.job.*'],
      });
      secret = webhook.body.signing_secret;
      await sync(tenant, await connectPeople(tenant, dir, 'before', people.before));
      const connector = await connectPeople(tenant, dir, 'running', people.running);
      await settled(first, 60_000);
      await withoutResponses(async () => {
        const before = receiver.received.length;
        job = (await tenant.client.post('/v1/sync/trigger', { connector_id: connector })).body.job_id;
        await betweenBatches(asDirectory, async (last) => {
          lastOfDump = last;
          // This delivery is pending in the dump and succeeds after it.
          await until(() => receiver.received.length > before, 'a delivery', 90_000);
          await dump(backupUrl(), file);
        });
      });
      // Changes after the dump are lost by the restore.
      await jobEnd(tenant, job);
      await settled(first, 60_000);
      for (const name of ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'] as const) {
        await services.kill(name);
      }
    } finally {
      await asDirectory.close();
    }
    const since = receiver.received.length;

    const onServer = DirectoryFixture.connect(newServer.serverUrl);
    await onServer.rows(roles);
    await onServer.rows('create database restored owner idsync');
    await onServer.close();
    const url = new URL(databaseUrl(newServer.serverUrl, 'restored'));
    const second = DirectoryFixture.connect(url.toString());
    url.username = 'idsync';
    url.password = 'restored';
    try {
      await restore(url.toString(), file);
      expect(await migrate(url.toString())).toEqual({ applied: [] });
      expect(await processed(second, job)).toMatchObject({ status: 'running' });
      // Messages of the lost broker are republished 15 minutes after their first announcement.
      await second.rows(`update sync_batches set announced_at = announced_at - interval '16 minutes'`);
      await second.rows(`update sync_jobs set sweep_asked_at = sweep_asked_at - interval '16 minutes'`);
      const services = await start(url.toString());
      tenant = { ...tenant, operator: tenant.operator.at(services.url), client: tenant.client.at(services.url) };
      expect(await jobEnd(tenant, job)).toMatchObject({ status: 'completed', progress_pct: 100 });
      await settled(second, 60_000);

      expect((await tenant.client.get('/v1/identities?limit=1')).body.total).toBe(allPeople);
      expect(await directoryFaults(second, decodeId('tenant', tenant.id) ?? '')).toEqual([]);
      const restored = await names(second);
      expect(restored).toContain(`running${people.running - 1}@example.org`);
      expect(restored).toEqual(await names(first));
      expect(await brokenInvariants(second)).toEqual({});
      const [created] = await second.rows(`select count(*)::int as count from events where type = 'identity.created'`);
      expect(created).toEqual({ count: allPeople });

      const [earlier, later] = [receiver.received.slice(0, since), receiver.received.slice(since)];
      const bodies = new Map(earlier.map(({ headers, body }) => [headers['webhook-id'], body]));
      const again = later.filter(({ headers }) => bodies.has(headers['webhook-id']));
      expect(again.length).toBeGreaterThan(0);
      expect(again.filter(({ headers, body }) => bodies.get(headers['webhook-id']) !== body)).toEqual([]);
      const got = new Set(receiver.ids());
      const wanted = (await wantedPairs(second)).map(({ eventId }) => encodeId('event', eventId));
      expect(wanted.filter((id) => !got.has(id))).toEqual([]);
      // The dump contains the encrypted secret, which the same key decrypts.
      const verifier = new Webhook(secret);
      for (const { headers, body } of later) verifier.verify(body, headers as Record<string, string>);
      const [numbers] = await second.rows<{ last: number }>('select last::int from event_sequences');
      expect(numbers?.last).toBeGreaterThan(lastOfDump);
    } finally {
      await second.close();
      await first.close();
    }
  });
});
