import type { Message } from '@idsync/contracts';
import { expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { MessageContext } from './delivery.js';
import { On } from './on.decorator.js';

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
