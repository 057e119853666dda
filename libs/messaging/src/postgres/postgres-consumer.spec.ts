import type { Database } from '@idsync/database';
import { silentLogger } from '@idsync/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Delivery } from '../delivery.js';
import type { Deliver } from '../driver.js';
import { leaseSeconds } from './messages.js';
import { PostgresConsumer } from './postgres-consumer.js';

const definition = { service: 'directory', binds: [], prefetch: 1, deliveryLimit: 9 } as const;
const pauseMs = 300;

describe('a consumer of a queue in PostgreSQL', () => {
  let attempts: number;
  let dueAt: number;
  /** Ids of messages whose lease was extended. */
  let extended: number[];

  /** A queue with one message, which is delivered again after a retry. */
  const database = {
    writeWithoutTenant: async ({ name }: { name: string }) => {
      if (name !== 'claim-messages' || Date.now() < dueAt) return [];
      dueAt = Number.POSITIVE_INFINITY;
      attempts += 1;
      return [{ id: 1, type: 'sync.batch.ready', message: '{}', attempts }];
    },
    withoutTenant: async (work: (tx: unknown) => Promise<unknown>) => {
      await work({
        query: async (_sql: string, [ids]: unknown[]) => {
          if (Array.isArray(ids)) extended.push(...ids);
          else dueAt = Date.now() + pauseMs;
        },
      });
    },
  } as unknown as Database;

  const consumerOf = (deliver: Deliver) =>
    new PostgresConsumer(database, 'directory.batches', definition, deliver, () => pauseMs, silentLogger);

  beforeEach(() => {
    jest.useFakeTimers();
    attempts = 0;
    dueAt = 0;
    extended = [];
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('retries a message when its pause is over, without waiting for the next poll', async () => {
    const delivered: Delivery[] = [];
    const deliver = async (delivery: Delivery) => {
      delivered.push(delivery);
      const { attempt } = delivery;
      return attempt < 4 ? ({ kind: 'retry', reason: 'not yet' } as const) : ({ kind: 'done' } as const);
    };
    const consumer = consumerOf(deliver);
    consumer.start();
    await jest.advanceTimersByTimeAsync(3 * pauseMs);
    const each = { system: 'postgresql', queue: 'directory.batches', type: 'sync.batch.ready', body: '{}' };
    expect(delivered).toEqual([1, 2, 3, 4].map((attempt) => ({ ...each, attempt })));
    await consumer.stop();
  });

  it('extends the lease of a message in progress before it expires, and not afterwards', async () => {
    let finish = () => {};
    const deliver = () =>
      new Promise<{ kind: 'done' }>((resolve) => {
        finish = () => resolve({ kind: 'done' });
      });
    const consumer = consumerOf(deliver);
    consumer.start();
    await jest.advanceTimersByTimeAsync(leaseSeconds * 700);
    expect(extended).toEqual([1, 1]);
    finish();
    await jest.advanceTimersByTimeAsync(leaseSeconds * 1_000);
    expect(extended).toEqual([1, 1]);
    await consumer.stop();
  });
});
