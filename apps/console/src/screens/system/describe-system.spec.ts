import { describe, expect, it } from '@jest/globals';
import {
  brokerOf,
  countOf,
  lagOf,
  missingServices,
  stateOfProcess,
  stateOfQueue,
  versionsOf,
} from './describe-system.js';
import type { Process, Queue } from './system-queries';

const queue: Queue = { name: 'directory.batches', service: 'directory', messages: 3, dead_letters: 0 };
const process: Process = {
  ...{ service: 'directory', version: '1.0.0', host: 'a', started_at: '', seen_at: '', responding: true },
  ...{ broker_connected: true, outbox_messages: 0, outbox_lag_seconds: 0 },
};

describe('the system screen', () => {
  it('says how far messages are counted', () => {
    expect([countOf(12), countOf(1_000), countOf(4_200, false), countOf(undefined)]).toEqual([
      '12',
      '1,000 or more',
      '4,200',
      'Unknown',
    ]);
  });

  it('shows a lag only of messages that wait', () => {
    expect([lagOf({ messages: 2, lag_seconds: 61 }), lagOf({ messages: 0, lag_seconds: 0 }), lagOf(queue)]).toEqual([
      '1 min 1 s',
      '—',
      '—',
    ]);
  });

  it.each([
    [{}, 'OK'],
    [{ lag_seconds: 601 }, 'Behind'],
    [{ consumers: 0 }, 'No consumer'],
    [{ messages: undefined }, 'Unknown'],
  ])('names the state of a queue with %j', (change, word) => {
    expect(stateOfQueue({ ...queue, ...change }).word).toBe(word);
  });

  it.each([
    [{}, 'Running'],
    [{ responding: false }, 'Silent'],
    [{ broker_connected: false }, 'Broker away'],
    [{ outbox_lag_seconds: 121 }, 'Outbox behind'],
  ])('names the state of a process with %j', (change, word) => {
    expect(stateOfProcess({ ...process, ...change }).word).toBe(word);
  });

  it('names the broker', () => {
    expect(brokerOf({ kind: 'postgresql', connected: true })).toBe('Queues in PostgreSQL');
    expect(brokerOf({ kind: 'rabbitmq', connected: true, version: '4.1.0' })).toBe('RabbitMQ 4.1.0');
    expect(brokerOf({ kind: 'rabbitmq', connected: false })).toBe('RabbitMQ, not connected');
  });

  it('names services without a process, and versions that run side by side', () => {
    const processes = [process, { ...process, version: '1.1.0' }, { ...process, version: '0.9.0', responding: false }];
    expect(missingServices({ queues: [queue, { ...queue, service: 'sync-worker' }], processes })).toEqual([
      'sync-worker',
    ]);
    expect(versionsOf(processes)).toEqual(['1.0.0', '1.1.0']);
  });
});
