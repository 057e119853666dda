import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeId, encodeId } from '@idsync/contracts';
import { brokerProgram, DirectoryFixture, eachVariant, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type FaultRates, FaultyReceiver, type Taken } from '../apps/webhook-dispatcher/test/faulty-receiver.js';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createTenant, type Tenant } from './support/client.js';
import {
  brokenInvariants,
  counts,
  endedJobs,
  recordedMarks,
  settled,
  wantedPairs,
  watchFences,
} from './support/delivery-proof.js';
import { EventStream } from './support/event-stream.js';
import { FaultMachine } from './support/fault-machine.js';
import { storm } from './support/fault-storm.js';
import { seededRandom } from './support/seeded-random.js';

const { FAULT_SECONDS, FAULT_SEED } = process.env;
// Only a run of a requested length explores.
const seed = Number(FAULT_SEED ?? (FAULT_SECONDS ? randomInt(2 ** 31) : 1));
const seconds = Number(FAULT_SECONDS ?? 20);
const settleWithinMs = 90_000;

// Limits tests that hang: start, faults, remaining work, and removal.
jest.setTimeout(seconds * 1_000 + settleWithinMs + 120_000);

const faultRates: { events: string[]; rates: FaultRates }[] = [
  { events: ['*'], rates: {} },
  { events: ['user.*', 'sync.job.completed'], rates: { failing: 0.1, throttling: 0.02, cutting: 0.02 } },
  { events: ['identity.*', 'lifecycle.*', 'user.updated'], rates: { failing: 0.02, silent: 0.02, slowMs: 400 } },
];

const distinct = (taken: readonly Taken[]) => new Set(taken.map(({ id }) => id)).size;

eachVariant(
  describe,
  ['amqp', 'postgres'],
  (driver) => driver === 'postgres' || existsSync(brokerProgram),
)('webhook deliveries while all processes fail at random, over %s,', (driver) => {
  // Separate random numbers for faults, because the order of other random decisions varies.
  const random = seededRandom(seed + 1);
  const receivers = new Map<string, FaultyReceiver>();
  const tenants: Tenant[] = [];
  let sourcesDir: string;
  let machine: FaultMachine;
  let admin: DirectoryFixture;
  let stream: EventStream;

  beforeAll(async () => {
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-faults-'));
    machine = await FaultMachine.start({ amqp: driver === 'amqp', sourcesDir });
    admin = DirectoryFixture.connect(machine.postgres.url);
    await watchFences(admin);
    const operator = Client.operator(machine.url, machine.adminToken);
    for (let nth = 0; nth < 3; nth += 1) {
      const tenant = await createTenant(operator, `Tenant ${nth}`);
      tenants.push(tenant);
      for (const { events, rates } of faultRates) await subscribe(tenant, events, rates);
    }
    stream = await EventStream.open(tenants, { databaseUrl: machine.postgres.url, sourcesDir, random });
  });

  afterAll(async () => {
    const parts = [stream, admin && { close: () => admin.close() }, machine && { close: () => machine.remove() }];
    const failures: unknown[] = [];
    // Closes the remaining parts even if one fails.
    for (const part of [...parts, ...receivers.values()]) {
      await part?.close().catch((error: unknown) => failures.push(error));
    }
    await rm(sourcesDir, { recursive: true, force: true });
    expect(failures).toEqual([]);
  });

  /** Returns the outcomes of all attempts for a tenant, by event and attempt number. */
  async function outcomes(tenant: Tenant): Promise<(string | null)[]> {
    const rows = await admin.rows<{ outcome: string | null }>(
      `select a.outcome from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
          where a.tenant_id = $1 order by d.event_sequence, a.number`,
      [decodeId('tenant', tenant.id)],
    );
    return rows.map(({ outcome }) => outcome);
  }

  async function subscribe(tenant: Tenant, events: string[], rates: FaultRates): Promise<void> {
    const receiver = await FaultyReceiver.start(rates, random);
    const answer = await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events });
    expect(answer.status).toBe(201);
    receiver.secret = answer.body.signing_secret;
    receivers.set(decodeId('webhook', answer.body.id) ?? '', receiver);
  }

  it('ignore the result of a dispatcher that was frozen past its lease', async () => {
    const [first, second] = machine.dispatchers;
    const tenant = await createTenant(Client.operator(machine.url, machine.adminToken), 'Frozen');
    await second.kill();
    const held: ServerResponse[] = [];
    const receiver = await Receiver.start();
    try {
      receiver.answer = (_, response) => {
        if (receiver.received.length === 1) held.push(response);
        else response.writeHead(204).end();
      };
      await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events: ['*'] });
      await stream.recordOne(tenant);
      await until(() => held.length > 0);
      first.freeze();
      second.start();
      await until(async () => (await outcomes(tenant)).at(-1) === 'delivered', 'the delivery', settleWithinMs);
      const before = await outcomes(tenant);
      for (const response of held) response.writeHead(500).end();
      await second.kill();
      first.thaw();
      // Its next delivery proves that it has handled the old one.
      await stream.recordOne(tenant);
      await until(async () => (await outcomes(tenant)).length > before.length, 'the next delivery', settleWithinMs);
      await settled(admin, settleWithinMs);
      expect(before).toEqual([...Array(before.length - 1).fill('unknown'), 'delivered']);
      expect(before.length).toBeGreaterThan(1);
      expect(await outcomes(tenant)).toEqual([...before, 'delivered']);
      expect(await brokenInvariants(admin)).toEqual({});
      const [one, other] = receiver.received;
      expect([other?.headers['webhook-id'], other?.body]).toEqual([one?.headers['webhook-id'], one?.body]);
    } finally {
      first.thaw();
      second.start();
      await receiver.close();
    }
  });

  it('reach every subscriber with every event in identical bytes, without writes under an expired lease', async () => {
    process.stdout.write(`FAULT_SEED=${seed} FAULT_SECONDS=${seconds}, over ${driver}\n`);
    const began = Date.now();
    await stream.start();
    const faults = await storm(machine, seededRandom(seed), driver === 'amqp' ? seconds : seconds / 2);
    await stream.stop();
    await settled(admin, settleWithinMs);

    const all = [...receivers.values()].flatMap(({ taken }) => taken);
    const { facts, deliveries, attempts, unknown } = await counts(admin);
    const requests = all.length;
    const repeats = [...receivers.values()].reduce((sum, { taken }) => sum + taken.length - distinct(taken), 0);
    const report = { seed, driver, facts, deliveries, faults, requests, repeats, attempts, unknown };
    process.stdout.write(`${JSON.stringify({ ...report, seconds: Math.round((Date.now() - began) / 1_000) })}\n`);

    expect(await brokenInvariants(admin)).toEqual({});
    expect(await endedJobs(admin, stream.accepted)).toBe(stream.accepted.size);
    const marks = await recordedMarks(admin);
    expect([...stream.committed].filter((mark) => !marks.has(mark))).toEqual([]);
    expect([...stream.rolledBack].filter((mark) => marks.has(mark))).toEqual([]);

    const pairs = await wantedPairs(admin);
    const accepted = new Map(
      [...receivers].map(([webhookId, { taken }]) => [
        webhookId,
        new Set(taken.filter((each) => each.accepted).map(({ id }) => id)),
      ]),
    );
    const missed = pairs.filter(
      ({ webhookId, eventId }) => accepted.get(webhookId)?.has(encodeId('event', eventId)) === false,
    );
    expect(missed.slice(0, 5)).toEqual([]);
    expect(pairs).toHaveLength(deliveries);

    expect(all.filter(({ signed }) => !signed).slice(0, 5)).toEqual([]);
    const bodies = new Map(all.map(({ id, body }) => [id, body]));
    expect(all.filter(({ id, body }) => bodies.get(id) !== body).slice(0, 5)).toEqual([]);
    expect(all.filter(({ id, body }) => JSON.parse(body).id !== id).slice(0, 5)).toEqual([]);
    const known = new Set(pairs.map(({ eventId }) => encodeId('event', eventId)));
    expect([...bodies.keys()].filter((id) => !known.has(id))).toEqual([]);

    // A process that cannot start during a database outage prints one plain line; a stack trace is a crash.
    expect(machine.unexpectedEnds.filter((words) => /^ +at /m.test(words))).toEqual([]);
  });
});
