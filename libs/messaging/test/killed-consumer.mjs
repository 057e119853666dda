// The directory's process in a test: handles messages until it kills itself at a given step of the first one.
// Arguments: database url, AMQP url or -, step.
import { Database, markReceived } from '../../database/dist/index.js';
import { openBus, patternsOf } from '../dist/index.js';

const [, , url, amqpUrl, step] = process.argv;
const database = await Database.connect({ url, service: 'directory' });
const bus = await openBus({ service: 'directory', database, amqpUrl: amqpUrl === '-' ? undefined : amqpUrl });
const dieAt = (here) => {
  if (here === step) process.kill(process.pid, 'SIGKILL');
};
for (const pattern of patternsOf('directory')) {
  if (pattern !== 'sync.batch.ready') bus.strategy.addHandler(pattern, async () => undefined, true);
}
bus.strategy.addHandler(
  'sync.batch.ready',
  async (message) => {
    dieAt('before the effect');
    await database.transaction(undefined, async (tx) => {
      if (await markReceived(tx, message.id))
        await tx.query('insert into effects (message_id) values ($1)', [message.id]);
      dieAt('before the commit');
    });
    dieAt('before the acknowledgement');
    setTimeout(() => dieAt('after the acknowledgement'), 200);
  },
  true,
);
await bus.strategy.listen((error) => {
  if (error) throw error;
});
