import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeId, encodeId } from '@idsync/contracts';
import { brokerProgram, DirectoryFixture } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Mood, MoodyReceiver } from '../apps/webhook-dispatcher/test/moody-receiver.js';
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
import { FactStream } from './support/fact-stream.js';
import { FaultMachine } from './support/fault-machine.js';
import { storm } from './support/fault-storm.js';
import { seededRandom } from './support/seeded-random.js';

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const seconds = Number(process.env.FAULT_SECONDS ?? 30);
const settleWithinMs = 90_000;

// Bounds what hangs: starting and ending everything, the storm, and what it leaves to do.
jest.setTimeout(seconds * 1_000 + settleWithinMs + 120_000);

const hasProgram = existsSync(brokerProgram);
if (!hasProgram) process.stderr.write(`${brokerProgram} is absent: the faults of RabbitMQ are left out.\n`);

const moods: { events: string[]; mood: Mood }[] = [
  { events: ['*'], mood: {} },
  { events: ['user.*', 'sync.job.completed'], mood: { failing: 0.1, asking: 0.02, cutting: 0.02 } },
  { events: ['identity.*', 'lifecycle.*', 'user.updated'], mood: { failing: 0.02, silent: 0.02, slowMs: 400 } },
];

describe.each(hasProgram ? (['amqp', 'postgres'] as const) : (['postgres'] as const))(
  'webhooks while everything dies at random, over %s',
  (driver) => {
    const random = seededRandom(seed);
    const receivers = new Map<string, MoodyReceiver>();
    const tenants: Tenant[] = [];
    let sourcesDir: string;
    let machine: FaultMachine;
    let admin: DirectoryFixture;
    let stream: FactStream;

    beforeAll(async () => {
      sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-faults-'));
      machine = await FaultMachine.start({ amqp: driver === 'amqp', sourcesDir });
      admin = DirectoryFixture.connect(machine.postgres.url);
      await watchFences(admin);
      const operator = Client.operator(machine.url, machine.adminToken);
      for (let nth = 0; nth < 3; nth += 1) {
        const tenant = await createTenant(operator, `Tenant ${nth}`);
        tenants.push(tenant);
        for (const { events, mood } of moods) await subscribe(tenant, events, mood);
      }
      stream = await FactStream.open(tenants, { databaseUrl: machine.postgres.url, sourcesDir, random });
    });

    afterAll(async () => {
      await stream?.close();
      await admin?.close();
      await machine?.remove();
      for (const receiver of receivers.values()) await receiver.close();
      await rm(sourcesDir, { recursive: true, force: true });
    });

    async function subscribe(tenant: Tenant, events: string[], mood: Mood): Promise<void> {
      const receiver = await MoodyReceiver.start(mood, random);
      const answer = await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events });
      expect(answer.status).toBe(201);
      receiver.secret = answer.body.signing_secret;
      receivers.set(decodeId('webhook', answer.body.id) ?? '', receiver);
    }

    it('delivers every fact to everyone who wants it, in the same bytes each time, and no stale lease writes', async () => {
      process.stdout.write(`FAULT_SEED=${seed} FAULT_SECONDS=${seconds}, over ${driver}\n`);
      const began = Date.now();
      await stream.start();
      const struck = await storm(machine, random, driver === 'amqp' ? seconds : seconds / 2);
      await stream.stop();
      await settled(admin, settleWithinMs);

      const all = [...receivers.values()].flatMap(({ taken }) => taken);
      const { facts, deliveries, attempts, unknown } = await counts(admin);
      const report = { seed, driver, facts, deliveries, struck, requests: all.length, attempts, unknown };
      process.stdout.write(`${JSON.stringify({ ...report, seconds: Math.round((Date.now() - began) / 1_000) })}\n`);

      expect(await brokenInvariants(admin)).toEqual({});
      expect(await endedJobs(admin, stream.accepted)).toBe(stream.accepted.size);
      const marks = await recordedMarks(admin);
      expect([...stream.committed].filter((mark) => !marks.has(mark))).toEqual([]);
      expect([...stream.takenBack].filter((mark) => marks.has(mark))).toEqual([]);

      const pairs = await wantedPairs(admin);
      const sent = new Set(pairs.map(({ webhookId, eventId }) => `${webhookId} ${encodeId('event', eventId)}`));
      for (const [webhookId, { taken }] of receivers) {
        for (const { id, accepted } of taken) if (accepted) sent.delete(`${webhookId} ${id}`);
      }
      expect([...sent].slice(0, 5)).toEqual([]);
      expect(pairs).toHaveLength(deliveries);

      expect(all.filter(({ signed }) => !signed).slice(0, 5)).toEqual([]);
      const bodies = new Map(all.map(({ id, body }) => [id, body]));
      expect(all.filter(({ id, body }) => bodies.get(id) !== body).slice(0, 5)).toEqual([]);
      expect(all.filter(({ id, body }) => JSON.parse(body).id !== id).slice(0, 5)).toEqual([]);
      const known = new Set(pairs.map(({ eventId }) => encodeId('event', eventId)));
      expect([...bodies.keys()].filter((id) => !known.has(id))).toEqual([]);

      // Who is killed is started again; nobody dies because another one did, but who starts while the database is away.
      expect(machine.ownEnds.filter((words) => !/DATABASE_URL/.test(words))).toEqual([]);
    });
  },
);
