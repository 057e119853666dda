import { type QueueDefinition, queues } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';
import { deliveryCount, ofDeadQueue, toDeadLetter, toDelivery } from './amqp-delivery.js';

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
