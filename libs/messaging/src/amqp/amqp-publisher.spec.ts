import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import type { AmqpConnection } from './amqp-connection.js';
import { AmqpPublisher, type OutgoingRow } from './amqp-publisher.js';

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
