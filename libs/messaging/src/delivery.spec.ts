import { Writable } from 'node:stream';
import { queues } from '@idsync/contracts';
import { createLogger, withLogContext } from '@idsync/runtime';
import { expect, it } from '@jest/globals';
import { handleDelivery } from './delivery.js';

const id = '0190a5f0-0000-7000-8000-000000000001';
const tenant = '0190a5f0-0000-7000-8000-000000000002';
const job = '0190a5f0-0000-7000-8000-000000000003';

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
  const body = JSON.stringify({ id, tenant_id: tenant, data: { job_id: job, seq: 0 } });
  const delivery = {
    system: 'postgresql',
    queue: 'directory.batches',
    type: 'sync.batch.ready',
    body,
    attempt: 1,
  } as const;
  await withLogContext({}, () => handleDelivery(delivery, queues['directory.batches'], handlers));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'applied', message_id: id, tenant_id: tenant, job_id: job },
  ]);
});
