import { Writable } from 'node:stream';
import { type QueueDefinition, queues } from '@idsync/contracts';
import { createLogger, withLogContext } from '@idsync/runtime';
import { expect, it, jest } from '@jest/globals';
import { handleDelivery } from './delivery.js';
import { ages } from './metrics.js';

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

it('adds message, tenant and job ids to log lines of a message handler', async () => {
  const lines: string[] = [];
  const into = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const logger = createLogger('directory', 'info', into);
  const handlers = new Map([['sync.batch.ready', async () => logger.info('applied')]]);
  await withLogContext({}, () => handleDelivery(delivery, queues['directory.batches'], handlers));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'applied', message_id: id, tenant_id: tenant, job_id: job },
  ]);
});

it('observes the age of a message at its first delivery only, and never that of a dead letter', async () => {
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
});
