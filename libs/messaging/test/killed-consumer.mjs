// A consumer of the directory that kills itself at a given step of its first message.
// Arguments: database url, AMQP url or -, step.

import { markReceived } from '../../database/dist/bus/index.js';
import { Database } from '../../database/dist/index.js';
import { Bus, patternsOf } from '../dist/index.js';

const [, , url, amqpUrl, step] = process.argv;
const database = await Database.connect({ url, service: 'directory' });
const bus = await Bus.open({ service: 'directory', database, amqpUrl: amqpUrl === '-' ? undefined : amqpUrl });
const killAt = (here) => {
  if (here === step) process.kill(process.pid, 'SIGKILL');
};
for (const pattern of patternsOf('directory')) {
  if (pattern !== 'sync.batch.ready') bus.strategy.addHandler(pattern, async () => undefined, true);
}
bus.strategy.addHandler(
  'sync.batch.ready',
  async (message) => {
    killAt('before the effect');
    await database.withoutTenant(async (tx) => {
      if (await markReceived(tx, message.id))
        await tx.query('insert into effects (message_id) values ($1)', [message.id]);
      killAt('before the commit');
    });
    killAt('before the acknowledgement');
    setTimeout(() => killAt('after the acknowledgement'), 200);
  },
  true,
);
await bus.strategy.listen((error) => {
  if (error) throw error;
});
