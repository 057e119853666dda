import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeId, encodeId } from '@idsync/contracts';
import { createDatabase, databaseUrl, dropDatabase } from '@idsync/database/schema';
import { type BrokerVhost, createVhost, DirectoryFixture, freePort, hasBroker, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FaultyReceiver } from '../apps/webhook-dispatcher/test/faulty-receiver.js';
import { Client, createTenant, type Tenant } from './support/client.js';
import { brokenInvariants, counts, settled, wantedPairs, watchFences } from './support/delivery-proof.js';
import { PreviousCode, previousCommit } from './support/previous-code.js';
import { RunningCode } from './support/running-code.js';
import { adminToken } from './support/services.js';
import { SteadyLoad } from './support/steady-load.js';
import { Supervised } from './support/supervised.js';

const today = fileURLToPath(new URL('..', import.meta.url));
const plainProxy = fileURLToPath(new URL('./rolling/plain-proxy.mjs', import.meta.url));
/** Jobs that end in each phase. */
const jobsOfAPhase = 10;
const settleWithinMs = 90_000;

jest.setTimeout(400_000);

const previous = previousCommit();
if ('unknown' in previous) {
  process.stderr.write(`Skipping the upgrade from the newest release: ${previous.unknown}\n`);
}

/** Possible changes of the schema in the next version. */
const nextMigration = [
  'create table made_up (id uuid primary key, tenant_id uuid not null)',
  'alter table events add column made_up text',
  'alter table sync_jobs add column made_up timestamptz not null default now()',
  'alter table operations add column made_up integer not null default 0',
  `insert into idsync_migrations (timestamp, name) values (9999999999999, 'MadeUp9999999999999')`,
];

('unknown' in previous ? describe.skip : describe)('a rolling update with two versions at the same time', () => {
  const server = process.env.DATABASE_URL ?? '';
  const name = `idsync_upgrade_${randomBytes(6).toString('hex')}`;
  const url = databaseUrl(server, name);
  const receivers = new Map<string, FaultyReceiver>();
  const tenants: Tenant[] = [];
  let sourcesDir: string;
  let vhost: BrokerVhost | undefined;
  let code: PreviousCode;
  let admin: DirectoryFixture;
  let versions: { before: RunningCode; after: RunningCode; again: RunningCode };
  let balancer: Supervised;
  /** Requests that each version's gateway answered. */
  const answered: number[] = [];
  let load: SteadyLoad;

  beforeAll(async () => {
    code = await PreviousCode.build('commit' in previous ? previous.commit : '', 'bundled');
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-upgrade-'));
    vhost = hasBroker() ? await createVhost() : undefined;
    await createDatabase(server, name);
    await RunningCode.migrate(code.dir, url);
    admin = DirectoryFixture.connect(url);
    await watchFences(admin);
    const options = { databaseUrl: url, amqpUrl: vhost?.url, sourcesDir, allowedCidrs: '127.0.0.0/8' };
    versions = {
      before: await RunningCode.from(code.dir, 'before', options),
      after: await RunningCode.from(today, 'after', options),
      again: await RunningCode.from(today, 'again', options),
    };
    const port = await freePort();
    const backends = Object.values(versions).map(({ url, readyUrl }) => ({ url, readyUrl }));
    balancer = new Supervised('balancer', [plainProxy, JSON.stringify([port, ...backends])], process.env);
    balancer.start();
    versions.before.start();
    await waitUntilServing(versions.before, `http://127.0.0.1:${port}`);
    const operator = Client.operator(`http://127.0.0.1:${port}`, adminToken);
    for (const events of [['*'], ['user.*', 'identity.*']]) {
      const tenant = await createTenant(operator, `Tenant of ${events}`);
      const receiver = await FaultyReceiver.start({}, () => 1);
      const webhook = await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events });
      receiver.secret = webhook.body.signing_secret;
      receivers.set(decodeId('webhook', webhook.body.id) ?? '', receiver);
      tenants.push(tenant);
    }
    load = new SteadyLoad(tenants, sourcesDir);
    await load.start();
  });

  afterAll(async () => {
    await load?.stop();
    for (const version of Object.values(versions ?? {})) await version.stop();
    await balancer?.stop();
    for (const receiver of receivers.values()) await receiver.close();
    await admin?.close();
    await dropDatabase(server, name);
    await vhost?.drop();
    await code?.remove();
    if (sourcesDir) await rm(sourcesDir, { recursive: true, force: true });
  });

  /** Waits until the version responds at this URL. */
  async function waitUntilServing(version: RunningCode, at: string): Promise<void> {
    const answers = () =>
      fetch(`${at}/v1/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(async () => version.unexpectedEnds.length > 0 || (await answers()), at, 90_000);
    expect(version.unexpectedEnds).toEqual([]);
  }

  /**
   * Replaces a version under load, with jobs before and after the stop of the old one, so that each processes work of
   * the other.
   */
  async function replace(old: RunningCode, by: RunningCode): Promise<void> {
    by.start();
    await waitUntilServing(by, by.url);
    await load.waitForJobs(jobsOfAPhase);
    answered.push(await old.answered());
    await old.stop();
    await load.waitForJobs(jobsOfAPhase);
  }

  it('loses no event and fails no request, on upgrade and on rollback from a later schema', async () => {
    const began = Date.now();
    const { before, after, again } = versions;
    await load.waitForJobs(jobsOfAPhase);
    const migrates = 'migrates' in previous && previous.migrates;
    expect(await RunningCode.migrate(today, url)).toContain(migrates ? 'applied ' : 'the schema is up to date');
    await load.waitForJobs(jobsOfAPhase);
    await replace(before, after);

    // A rollback from the next version: the migration of this version must not change the later schema.
    for (const statement of nextMigration) await admin.rows(statement);
    expect(await RunningCode.migrate(today, url)).toContain('the schema is of a later version');
    await replace(after, again);
    await load.stop();
    await settled(admin, settleWithinMs);

    const taken = [...receivers.values()].flatMap((receiver) => receiver.taken);
    const { facts, deliveries, attempts } = await counts(admin);
    const report = { requests: load.requests, jobs: load.jobs.size, facts, deliveries, attempts };
    answered.push(await again.answered());
    const seconds = Math.round((Date.now() - began) / 1_000);
    process.stdout.write(`${JSON.stringify({ ...report, answered, seconds })}\n`);

    expect(load.failures).toEqual([]);
    expect(Math.min(...answered)).toBeGreaterThan(10);
    expect(Object.values(versions).flatMap(({ unexpectedEnds }) => unexpectedEnds)).toEqual([]);
    const ends = await admin.rows<{ id: string; status: string }>(
      'select id, status, mode, error_message from sync_jobs',
    );
    expect(ends.filter(({ status }) => status !== 'completed')).toEqual([]);
    const known = new Set(ends.map(({ id }) => encodeId('job', id)));
    expect([...load.jobs].filter((id) => !known.has(id))).toEqual([]);
    expect(await admin.rows(`select id, status from operations where status <> 'done'`)).toEqual([]);

    expect(await brokenInvariants(admin)).toEqual({});
    expect(await vhost?.dead()).toEqual(vhost && []);
    expect(await admin.rows('select queue, dead_reason from bus_messages where dead_at is not null')).toEqual([]);
    expect(taken.filter(({ signed }) => !signed)).toEqual([]);
    const pairs = await wantedPairs(admin);
    const accepted = new Map(
      [...receivers].map(([id, receiver]) => [
        id,
        new Set(receiver.taken.filter((each) => each.accepted).map((each) => each.id)),
      ]),
    );
    const missed = pairs.filter(({ webhookId, eventId }) => !accepted.get(webhookId)?.has(encodeId('event', eventId)));
    expect(missed).toEqual([]);
    expect(pairs).toHaveLength(deliveries);
  });
});
