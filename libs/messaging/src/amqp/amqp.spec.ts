import { EventEmitter } from 'node:events';
import { type QueueDefinition, queues } from '@idsync/contracts';
import { describe, expect, it, jest } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';
import type { AmqpConnection } from './amqp-connection.js';
import { deliveryCount, ofDeadQueue, toDeadLetter, toDelivery } from './amqp-delivery.js';
import { AmqpPublisher, type OutgoingRow } from './amqp-publisher.js';

const queue = 'directory.batches';
const definition: QueueDefinition = queues[queue];

function message(content: string, properties: object): ConsumeMessage {
  return {
    content: Buffer.from(content),
    fields: { routingKey: 'sync.batch.ready' },
    properties,
  } as unknown as ConsumeMessage;
}

describe('a message of RabbitMQ', () => {
  it('has the type of its properties, or else its routing key', () => {
    const expected = { system: 'rabbitmq', queue, body: '{"id":"é"}', attempt: 3 };
    expect(toDelivery(queue, message('{"id":"é"}', { type: 'another.type' }), 3)).toEqual({
      ...expected,
      type: 'another.type',
    });
    expect(toDelivery(queue, message('{"id":"é"}', {}), 3)).toEqual({ ...expected, type: 'sync.batch.ready' });
  });

  it.each([
    [{}, 0],
    [{ headers: {} }, 0],
    [{ headers: { 'x-delivery-count': 4 } }, 4],
    [{ headers: { 'x-delivery-count': 'four' } }, 0],
  ])('with the properties %j was delivered %d times before', (properties, count) => {
    expect(deliveryCount(message('', properties))).toBe(count);
  });
});

describe('a dead letter of RabbitMQ', () => {
  it('has the error of its last attempt, and no NUL, which PostgreSQL does not store', () => {
    const given = message('{"a":"\0b"}', { messageId: 'm1' });
    expect(toDeadLetter(queue, given, { attempts: 7, reason: 'bad \0 value' })).toEqual({
      queue,
      messageId: 'm1',
      type: 'sync.batch.ready',
      message: '{"a":"b"}',
      attempts: 7,
      reason: 'bad  value',
    });
    expect(toDeadLetter(queue, message('', {}), { attempts: 1, reason: '' }).messageId).toBeNull();
  });

  it.each([
    ['delivery_limit', definition.deliveryLimit, `delivered ${definition.deliveryLimit} times without being settled`],
    ['rejected', 3, 'dead-lettered by RabbitMQ: rejected'],
  ])('that the broker has dead-lettered as %s has %d attempts', (reason, attempts, text) => {
    const headers = { 'x-delivery-count': 2, 'x-death': [{ reason }] };
    expect(ofDeadQueue(queue, definition, message('{}', { headers }))).toMatchObject({ attempts, reason: text });
  });

  it('says so if the broker gives no reason', () => {
    expect(ofDeadQueue(queue, definition, message('{}', {}))).toMatchObject({
      attempts: 1,
      reason: 'dead-lettered by RabbitMQ: unknown reason',
    });
  });
});

type Settle = (error: Error | null) => void;
type Answer = (messageId: string, settle: Settle, channel: ChannelOfTest) => void;

const confirms: Answer = (_, settle) => settle(null);
const rejects: Answer = (_, settle) => settle(new Error('message nacked'));
const isSilent: Answer = () => undefined;

class ChannelOfTest extends EventEmitter {
  constructor(private readonly answer: Answer) {
    super();
  }

  publish(_exchange: string, _key: string, _body: Buffer, { messageId }: { messageId: string }, settle: Settle): void {
    this.answer(messageId, settle, this);
  }

  async close(): Promise<void> {
    this.emit('close');
  }
}

/** Returns a publisher whose channels answer as given, one after the other, and the number of channels it opened. */
function publisher(...answers: Answer[]): { publisher: AmqpPublisher; opened: () => number } {
  let opened = 0;
  const createConfirmChannel = async () => {
    const answer = answers[opened];
    if (!answer) throw new Error('no further channel');
    opened += 1;
    return new ChannelOfTest(answer);
  };
  const connection = { current: { createConfirmChannel } } as unknown as AmqpConnection;
  return { publisher: new AmqpPublisher(connection), opened: () => opened };
}

const row = (id: number): OutgoingRow => ({ id, messageId: `m${id}`, type: 'sync.batch.ready', message: '{}' });

describe('publishing to RabbitMQ', () => {
  it('uses one channel while everything is confirmed', async () => {
    const { publisher: relay, opened } = publisher(confirms);
    await relay.publish([row(1)]);
    expect(await relay.publish([row(2), row(3)])).toEqual({ confirmed: [2, 3], refused: [] });
    expect(opened()).toBe(1);
  });

  it('goes on with a new channel after a message was rejected', async () => {
    const { publisher: relay, opened } = publisher(
      (messageId, settle, channel) => (messageId === 'm2' ? rejects : confirms)(messageId, settle, channel),
      confirms,
    );
    expect(await relay.publish([row(1), row(2)])).toEqual({ confirmed: [1], refused: [2] });
    expect(await relay.publish([row(2)])).toEqual({ confirmed: [2], refused: [] });
    expect(opened()).toBe(2);
  });

  it('goes on with a new channel after a message was not confirmed in time', async () => {
    jest.useFakeTimers();
    try {
      const { publisher: relay } = publisher(isSilent, confirms);
      const failed = expect(relay.publish([row(1)])).rejects.toThrow('did not confirm in time');
      await jest.advanceTimersByTimeAsync(5_000);
      await failed;
      expect(await relay.publish([row(1)])).toEqual({ confirmed: [1], refused: [] });
    } finally {
      jest.useRealTimers();
    }
  });

  it('refuses a message that no queue is bound for, and keeps its channel', async () => {
    const { publisher: relay, opened } = publisher((messageId, settle, channel) => {
      channel.emit('return', { properties: { messageId } });
      settle(null);
    });
    expect(await relay.publish([row(1)])).toEqual({ confirmed: [], refused: [1] });
    expect(await relay.publish([row(1)])).toEqual({ confirmed: [], refused: [1] });
    expect(opened()).toBe(1);
  });
});
