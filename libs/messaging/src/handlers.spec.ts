import { Writable } from 'node:stream';
import { type Message, newUuid, type QueueDefinition, queues } from '@idsync/contracts';
import { createLogger, withLogContext } from '@idsync/runtime';
import { expect, it, jest } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { BusStrategy } from './bus.strategy.js';
import { handleDelivery, type MessageContext, patternsOf } from './delivery.js';
import type { BusDriver, Deliver } from './driver.js';
import { ages } from './metrics.js';
import { On } from './on.decorator.js';

const id = '0190a5f0-0000-7000-8000-000000000001';
const tenant = '0190a5f0-0000-7000-8000-000000000002';
const job = '0190a5f0-0000-7000-8000-000000000003';

const delivery = {
  system: 'postgresql',
  queue: 'directory.batches',
  type: 'sync.batch.ready',
  body: JSON.stringify({ id, tenant_id: tenant, data: { job_id: job, seq: 0 } }),
  attempt: 1,
} as const;

/** A logger of the directory and the lines that it writes. */
function loggingToLines() {
  const lines: string[] = [];
  const into = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { logger: createLogger('directory', 'info', into), lines };
}

it('dead-letters a message that was delivered too often, without another attempt', async () => {
  const definition = queues['directory.batches'];
  const attempts: number[] = [];
  const handlers = new Map([
    ['sync.batch.ready', async (_: unknown, { attempt }: { attempt: number }) => void attempts.push(attempt)],
  ]);
  const { deliveryLimit } = definition;
  const deliver = (attempt: number) => handleDelivery({ ...delivery, attempt }, definition, handlers);
  expect(await deliver(deliveryLimit)).toEqual({ kind: 'done' });
  const reason = `delivered ${deliveryLimit} times without being settled`;
  expect(await deliver(deliveryLimit + 1)).toEqual({ kind: 'dead', reason });
  expect(attempts).toEqual([deliveryLimit]);
});

const failing = async () => {
  throw new Error('no connection');
};

it('postpones messages of a tenant that is unreachable up to a day after they were sent, and others never', async () => {
  const definition = queues['directory.batches'];
  const handlers = new Map([['sync.batch.ready', failing]]);
  const outcome = async (sentAt: number, isReachable: boolean) => {
    const time = sentAt.toString(16).padStart(12, '0');
    const sent = { id: `${time.slice(0, 8)}-${time.slice(8)}-${id.slice(14)}`, tenant_id: tenant };
    const body = JSON.stringify({ ...sent, data: { job_id: job, seq: 0 } });
    const given = { ...delivery, body, attempt: definition.deliveryLimit };
    return (await handleDelivery(given, definition, handlers, async () => isReachable)).kind;
  };
  const day = 24 * 60 * 60_000;
  expect(await outcome(Date.now() - day + 60_000, false)).toBe('postponed');
  expect(await outcome(Date.now() - day, false)).toBe('dead');
  expect(await outcome(Date.now(), true)).toBe('dead');
});

it('does not postpone a dead letter of RabbitMQ, which would be sent again as a new message', async () => {
  const definition: QueueDefinition = { ...queues['directory.batches'], bindsDead: ['sync.batch.ready'] };
  const handlers = new Map([['dead.sync.batch.ready', failing]]);
  const outcome = async (system: 'rabbitmq' | 'postgresql', attempt: number) => {
    const body = JSON.stringify({ id: newUuid(), tenant_id: tenant, data: { job_id: job, seq: 0 } });
    const given = { ...delivery, system, body, attempt };
    return (await handleDelivery(given, definition, handlers, async () => false)).kind;
  };
  expect(await outcome('postgresql', definition.deliveryLimit)).toBe('postponed');
  expect(await outcome('rabbitmq', definition.deliveryLimit - 1)).toBe('retry');
  expect(await outcome('rabbitmq', definition.deliveryLimit)).toBe('dead');
});

it('postpones a message only if the database is unavailable for its tenant, and logs that', async () => {
  const { logger, lines } = loggingToLines();
  let deliver: Deliver | undefined;
  const consume = async (given: Deliver) => {
    deliver = given;
  };
  let failure: unknown;
  const strategy = new BusStrategy('directory', { consume } as BusDriver, logger, async () => {
    throw failure;
  });
  for (const pattern of patternsOf('directory')) strategy.addHandler(pattern, async () => undefined, true);
  await strategy.listen(() => undefined);
  const outcome = async (error: Error) => {
    failure = error;
    const body = JSON.stringify({ id: newUuid(), tenant_id: tenant, data: { job_id: job, seq: 0 } });
    return (await deliver?.({ ...delivery, body }))?.kind;
  };
  expect(await outcome(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toBe('postponed');
  expect(await outcome(new Error('too many waiting'))).toBe('retry');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'the rows of a tenant are unreachable, message postponed',
    'handling a message failed, will retry',
  ]);
});

it('adds message, tenant and job ids to log lines of a message handler', async () => {
  const { logger, lines } = loggingToLines();
  const handlers = new Map([['sync.batch.ready', async () => logger.info('applied')]]);
  await withLogContext({}, () => handleDelivery(delivery, queues['directory.batches'], handlers));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'applied', message_id: id, tenant_id: tenant, job_id: job },
  ]);
});

it('observes the age of a message at its first delivery only, and never that of a dead letter or a postponed one', async () => {
  const observed = jest.spyOn(ages, 'observe');
  const definition = queues['directory.batches'];
  const ofDead: QueueDefinition = { ...definition, bindsDead: ['sync.batch.ready'] };
  const handlers = new Map(['sync.batch.ready', 'dead.sync.batch.ready'].map((type) => [type, async () => undefined]));
  const observations = async (attempt: number, bindings: QueueDefinition) => {
    observed.mockClear();
    expect(await handleDelivery({ ...delivery, attempt }, bindings, handlers)).toEqual({ kind: 'done' });
    return observed.mock.calls.length;
  };
  expect([await observations(1, definition), await observations(2, definition)]).toEqual([1, 0]);
  expect([await observations(1, ofDead), await observations(2, ofDead)]).toEqual([0, 0]);
  observed.mockClear();
  const recent = { ...delivery, body: JSON.stringify({ ...JSON.parse(delivery.body), id: newUuid() }) };
  const failed = new Map([['sync.batch.ready', failing]]);
  const away = await handleDelivery(recent, definition, failed, async () => false);
  expect([away.kind, observed.mock.calls.length]).toEqual(['postponed', 0]);
  const retried = await handleDelivery(recent, definition, failed);
  expect([retried.kind, observed.mock.calls.length]).toEqual(['retry', 1]);
});

const taken: unknown[] = [];

@Controller()
class Batches {
  @On('sync.batch.ready')
  apply(message: Message<'sync.batch.ready'>, context: MessageContext): void {
    taken.push([message, context]);
  }

  @On('dead.sync.batch.ready')
  async givenUp({ data }: Message<'sync.batch.ready'>): Promise<void> {
    taken.push(data);
  }

  @On('sync.job.ended')
  wake(): void {
    taken.push('wake');
  }

  // @ts-expect-error -- the message type has no `seq`
  @On('sync.job.ended')
  ofAnotherType(_message: Message<'sync.batch.ready'>): void {}

  // @ts-expect-error -- the same for dead letters
  @On('dead.sync.job.ended')
  ofAnotherDeadType(_message: Message<'sync.batch.ready'>): void {}

  // @ts-expect-error -- the context has no delivery
  @On('sync.batch.ready')
  ofAnotherContext(_message: Message<'sync.batch.ready'>, _context: { delivery: string }): void {}

  // @ts-expect-error -- no such message type
  @On('sync.batch.raedy')
  ofNoType(): void {}
}

class Strategy extends Server {
  listen(callback: () => void): void {
    callback();
  }

  close(): void {}

  override on(): never {
    throw new Error('no events');
  }

  override unwrap(): never {
    throw new Error('no driver');
  }
}

it('passes a handler its message and context with compiler-checked types', async () => {
  const strategy = new Strategy();
  class Root {}
  const module = { module: Root, controllers: [Batches] };
  const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
  await app.listen();
  const call = async (pattern: string, ...given: unknown[]) => {
    const result: unknown = await strategy.getHandlers().get(pattern)?.(given[0], given[1]);
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  };
  await call('sync.batch.ready', { id: 'm' }, { attempt: 2 });
  await call('dead.sync.batch.ready', { data: { seq: 3 } }, {});
  expect(taken).toEqual([[{ id: 'm' }, { attempt: 2 }], { seq: 3 }]);
  await app.close();
});
