import { deadLetterExchange, type Message, newUuid } from '@idsync/contracts';
import { listDeadLetters, recordEvents, removeDeadLetter, sendAgain } from '@idsync/database/bus';
import { type BrokerVhost, createVhost, eachBus, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import { BusFixture } from '../test/bus-fixture.js';
import { Bus } from './bus.js';
import { PermanentError } from './delivery.js';

eachBus(describe)('the bus, over %s', (driver) => {
  let bus: BusFixture;
  let vhost: BrokerVhost | undefined;

  beforeAll(async () => {
    vhost = driver === 'amqp' ? await createVhost() : undefined;
  });
  afterAll(() => vhost?.drop());

  beforeEach(async () => {
    bus = await BusFixture.create(driver, vhost);
  });

  afterEach(async () => {
    await bus?.remove();
  });

  const seqOf = (message: { data: unknown }) => (message.data as { seq: number }).seq;

  const deadLetters = (queue: string) =>
    bus.rows.rows<{ messageId: string; type: string; reason: string; attempts: number }>(
      `select message_id as "messageId", type, dead_reason as reason, attempts
         from bus_messages where queue = $1 and dead_at is not null`,
      [queue],
    );
  /** Number of dead letters of a queue. */
  const dead = async (queue: string): Promise<number> => (await deadLetters(queue)).length;

  /** Enqueues a message that no service would send. */
  const putRaw = async (type: string, text: string): Promise<void> => {
    await bus.rows.rows(
      `insert into outbox (producer, message_id, type, message) values ('idsync_sync_worker', gen_random_uuid(), $1, $2)`,
      [type, text],
    );
  };

  it('delivers messages, including those enqueued before the first consumer started', async () => {
    await bus.open('sync-worker');
    await bus.announceBatches([1, 2, 3]);
    const seen: number[] = [];
    await bus.open('directory', { 'sync.batch.ready': async (message) => void seen.push(seqOf(message)) });
    await bus.announceBatches([4]);
    await until(() => seen.length === 4);
    expect([...seen].sort()).toEqual([1, 2, 3, 4]);
    await until(async () => (await bus.rows.rows('select id from outbox')).length === 0);
  });

  it('acknowledges messages of an ignored tenant without their handlers', async () => {
    await bus.open('sync-worker');
    await bus.announceBatches([1, 2, 3]);
    const asked: string[] = [];
    const handled: Message[] = [];
    const isIgnored = async (tenantId: string) => asked.push(tenantId) < 3;
    await bus.open('directory', { 'sync.batch.ready': async (message) => void handled.push(message) }, { isIgnored });
    await until(() => handled.length === 1);
    expect(asked).toEqual([bus.tenant, bus.tenant, bus.tenant]);
    expect(await dead('directory.batches')).toBe(0);
  });

  it('announces committed events to every process that listens, and none that were rolled back', async () => {
    const recorder = await bus.connect('gateway');
    const tenant = await bus.rows.tenant();
    await bus.open('gateway');
    const heard: [string, number][][] = [[], []];
    const ends = await Promise.all(
      heard.map(async (notices) => {
        const dispatcher = await bus.open('webhook-dispatcher');
        return new Promise<() => Promise<void>>((resolve) => {
          const stop = dispatcher.listenToEvents(
            (...notice) => notices.push(notice),
            () => resolve(stop),
          );
        });
      }),
    );
    const record = (then = () => {}) =>
      recorder.transaction(tenant, async (tx) => {
        await recordEvents(tx, [{ type: 'webhook.test', subjectId: tenant, details: {} }]);
        then();
      });
    const fail = () => {
      throw new Error('rolled back');
    };
    await expect(record(fail)).rejects.toThrow('rolled back');
    await record();
    await until(() => heard.every((notices) => notices.length > 0), 'both listeners');
    await record();
    await until(() => heard.every((notices) => notices.at(-1)?.[1] === 2), 'the last sequence');
    expect(heard).toEqual([
      [
        [tenant, 1],
        [tenant, 2],
      ],
      [
        [tenant, 1],
        [tenant, 2],
      ],
    ]);
    for (const stop of ends) await stop();
    await record();
    expect(heard.map((notices) => notices.length)).toEqual([2, 2]);
  });

  it('does not deliver a message whose transaction was rolled back', async () => {
    const database = await bus.connect('sync-worker');
    const seen: number[] = [];
    await bus.open('sync-worker');
    await bus.open('directory', { 'sync.batch.ready': async (message) => void seen.push(seqOf(message)) });
    const failing = database.withoutTenant(async (tx) => {
      await tx.query(`insert into outbox (producer, message_id, type, message)
        values (current_user, gen_random_uuid(), 'sync.batch.ready', '{}')`);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await bus.announceBatches([1]);
    await until(() => seen.length > 0);
    expect(seen).toEqual([1]);
  });

  it('retries a failed message and counts the attempts', async () => {
    const attempts: number[] = [];
    await bus.open('sync-worker');
    await bus.open('directory', {
      'sync.batch.ready': async (_message, { attempt }) => {
        attempts.push(attempt);
        if (attempt < 4) throw new Error('not yet');
      },
    });
    await bus.announceBatches([1]);
    await until(() => attempts.length === 4);
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(await dead('directory.batches')).toBe(0);
  });

  it('dead-letters a message after the last attempt and notifies the queues that bind its dead letters', async () => {
    let attempts = 0;
    const notified: number[] = [];
    await bus.open('sync-worker', { 'dead.sync.batch.ready': async (message) => void notified.push(seqOf(message)) });
    await bus.open('directory', {
      'sync.batch.ready': async () => {
        attempts += 1;
        throw new Error('never');
      },
    });
    await bus.announceBatches([7]);
    await until(() => notified.length === 1);
    expect(notified).toEqual([7]);
    expect(attempts).toBe(10);
    await until(async () => (await dead('directory.batches')) === 1);
  });

  it('dead-letters a message immediately on a PermanentError', async () => {
    let attempts = 0;
    await bus.open('sync-worker');
    await bus.open('directory', {
      'sync.batch.ready': async () => {
        attempts += 1;
        throw new PermanentError('hopeless');
      },
    });
    await bus.announceBatches([1]);
    await until(async () => (await dead('directory.batches')) === 1);
    expect(attempts).toBe(1);
  });

  it('dead-letters malformed messages without calling a handler', async () => {
    const seen: number[] = [];
    await bus.open('sync-worker');
    await bus.open('directory', { 'sync.batch.ready': async (message) => void seen.push(seqOf(message)) });
    await putRaw('sync.batch.ready', 'no JSON');
    await putRaw('sync.batch.ready', '{"id":"x"}');
    await bus.announceBatches([1]);
    await until(async () => seen.length === 1 && (await dead('directory.batches')) === 2);
    expect(seen).toEqual([1]);
  });

  it('keeps a dead letter in the database with its error and its attempts', async () => {
    await bus.open('sync-worker');
    await bus.open('directory', {
      'sync.batch.ready': async (_message, { attempt }) => {
        if (attempt < 3) throw new Error('not yet');
        throw new PermanentError('hopeless');
      },
    });
    await bus.announceBatches([1]);
    await until(async () => (await dead('directory.batches')) === 1);
    expect(await deadLetters('directory.batches')).toEqual([
      { messageId: expect.any(String), type: 'sync.batch.ready', reason: 'hopeless', attempts: 3 },
    ]);
  });

  it('delivers a dead letter that is sent again, with its id and from its first attempt', async () => {
    const seen: { id: string; attempt: number }[] = [];
    let isHopeless = true;
    await bus.open('sync-worker');
    await bus.open('directory', {
      'sync.batch.ready': async ({ id }, { attempt }) => {
        seen.push({ id, attempt });
        if (isHopeless) throw new PermanentError('hopeless');
      },
    });
    await bus.announceBatches([1]);
    await until(async () => (await dead('directory.batches')) === 1);
    isHopeless = false;
    const gateway = await bus.connect('gateway');
    await bus.open('gateway');
    await gateway.withoutTenant(async (tx) => {
      const [letter] = await listDeadLetters(tx, { names: ['directory.batches'], limit: 1 });
      const removed = await removeDeadLetter(tx, letter?.id ?? 0);
      if (removed) await sendAgain(tx, removed);
      expect(await removeDeadLetter(tx, letter?.id ?? 0)).toBeUndefined();
    });
    await until(() => seen.length === 2);
    expect(seen[1]).toEqual({ id: seen[0]?.id, attempt: 1 });
    expect(await dead('directory.batches')).toBe(0);
  });

  const keepsLettersOfBroker = async () => {
    await bus.open('sync-worker');
    const directory = await bus.open('directory');
    const connection = await connect(bus.amqpUrl as string);
    const channel = await connection.createConfirmChannel();
    const messageId = newUuid();
    for (let copies = 0; copies < 2; copies += 1) {
      const properties = { messageId, type: 'sync.batch.ready' };
      channel.publish(deadLetterExchange, 'directory.batches', Buffer.from('a\0b'), properties);
    }
    await channel.waitForConfirms();
    await until(async () => (await deadLetters('directory.batches')).length > 0);
    const left = async () => (await channel.checkQueue('directory.batches.dead')).messageCount;
    await until(async () => (await left()) === 0);
    // The count leaves out messages that are being stored; closing waits for them.
    await directory.close();
    expect(await left()).toBe(0);
    await connection.close();
    expect(await deadLetters('directory.batches')).toMatchObject([
      { messageId, reason: 'dead-lettered by RabbitMQ: unknown reason' },
    ]);
  };
  // In PostgreSQL, only a consumer dead-letters messages.
  if (driver === 'amqp') it('moves what the broker has dead-lettered to the database once', keepsLettersOfBroker);

  it('counts the messages of every queue, also of other services', async () => {
    const gateway = await bus.open('gateway');
    await bus.open('sync-worker');
    const database = await bus.connect('directory');
    await database.withoutTenant((tx) =>
      tx.query(
        `insert into bus_messages (queue, type, message, dead_at) values ('directory.batches', 'x', '{}', now())`,
      ),
    );
    await bus.announceBatches([1, 2]);
    const states = async () => new Map((await gateway.queues()).map((state) => [state.name, state]));
    await until(async () => (await states()).get('directory.batches')?.messages === 2);
    const isBroker = driver === 'amqp';
    expect((await states()).get('directory.batches')).toEqual({
      name: 'directory.batches',
      service: 'directory',
      messages: 2,
      seconds: isBroker ? undefined : expect.any(Number),
      consumers: isBroker ? 0 : undefined,
      dead: 1,
    });
    expect((await states()).get('sync-worker.jobs')).toMatchObject({ messages: 0, dead: 0 });
    expect(gateway.broker).toEqual(
      isBroker ? { kind: 'rabbitmq', version: expect.stringMatching(/^\d/) } : { kind: 'postgresql' },
    );
  });

  it('reports each process, and removes its report when it closes', async () => {
    const reports = () =>
      bus.rows.rows(`select service, version, broker_connected as connected from service_processes order by service`);
    const report = { version: expect.stringMatching(/^\d/), connected: true };
    const gateway = await bus.open('gateway');
    await bus.open('directory');
    await until(async () => (await reports()).length === 2);
    expect(await reports()).toEqual([
      { ...report, service: 'directory' },
      { ...report, service: 'gateway' },
    ]);
    await gateway.close();
    expect(await reports()).toEqual([{ ...report, service: 'directory' }]);
  });

  it('handles at most `prefetch` messages of a queue at a time', async () => {
    let now = 0;
    let most = 0;
    let done = 0;
    await bus.open('sync-worker');
    await bus.open('directory', {
      'sync.batch.ready': async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        now -= 1;
        done += 1;
      },
    });
    await bus.announceBatches(Array.from({ length: 24 }, (_, n) => n));
    await until(() => done === 24);
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
  });

  it('applies a message once when it is delivered twice', async () => {
    let deliveries = 0;
    await bus.open('sync-worker');
    await bus.open('directory', {
      'sync.batch.ready': async (message) => {
        deliveries += 1;
        await bus.apply('directory', message);
        if (deliveries === 1) throw new Error('after the effect');
      },
    });
    await bus.announceBatches([1]);
    await until(() => deliveries === 2);
    expect(await bus.effects()).toEqual({ all: 1, distinct: 1 });
  });

  it('finishes messages in progress on close and stops consuming', async () => {
    let begun = 0;
    let finished = 0;
    await bus.open('sync-worker');
    const consuming = await bus.open('directory', {
      'sync.batch.ready': async () => {
        begun += 1;
        await new Promise((resolve) => setTimeout(resolve, 300));
        finished += 1;
      },
    });
    await bus.announceBatches(Array.from({ length: 12 }, (_, n) => n));
    await until(() => begun > 0);
    await consuming.close();
    const atClose = begun;
    expect(finished).toBe(atClose);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(begun).toBe(atClose);
    await bus.open('directory', {
      'sync.batch.ready': async () => {
        finished += 1;
      },
    });
    await until(() => finished === 12);
  });

  it('leaves messages waiting for a retry to another process on close', async () => {
    const seen: number[] = [];
    await bus.open('sync-worker');
    const failing = async (message: { data: unknown }) => {
      seen.push(seqOf(message));
      throw new Error('not yet');
    };
    const first = await bus.open('directory', { 'sync.batch.ready': failing }, { pauseMs: 60_000 });
    await bus.announceBatches([1, 2, 3]);
    await until(() => seen.length >= 2);
    await first.close();
    const atClose = seen.length;
    if (driver === 'postgres') await bus.rows.rows('update bus_messages set available_at = now()');
    const handled: number[] = [];
    await bus.open('directory', { 'sync.batch.ready': async (message) => void handled.push(seqOf(message)) });
    await until(() => handled.length === 3);
    expect(handled.sort()).toEqual([1, 2, 3]);
    expect(seen).toHaveLength(atClose);
  });

  it('refuses to start with an unhandled queue or an unbound handler', async () => {
    const database = await bus.connect('directory');
    const listen = async (pattern?: string) => {
      const opened = await Bus.open({ service: 'directory', database, amqpUrl: bus.amqpUrl });
      if (pattern) opened.strategy.addHandler(pattern, async () => undefined, true);
      const error = await new Promise<unknown>((resolve) => void opened.strategy.listen(resolve));
      await opened.close();
      return String(error);
    };
    expect(await listen()).toMatch('directory has no handler for sync.batch.ready');
    expect(await listen('sync.job.requested')).toMatch('directory has no handler for sync.batch.ready');
  });
});
