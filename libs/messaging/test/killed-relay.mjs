// The sync-worker's relay in a test: forwards the outbox until it dies, or stops, at a given one of its transactions.
// Arguments: database url, AMQP url or -, which transaction, before or after, SIGKILL or SIGSTOP.
import { Database } from '../../database/dist/index.js';
import { openBus } from '../dist/index.js';

const [, , url, amqpUrl, nth, when, signal] = process.argv;
const database = await Database.connect({ url, service: 'sync-worker' });
let transactions = 0;
const end = () => process.kill(process.pid, signal);

/** The same database, with a signal between two of the relay's steps: each step is a transaction, or lies between two. */
const interrupted = new Proxy(database, {
  get(target, name) {
    if (name !== 'transaction') {
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    }
    return async (tenantId, work) => {
      transactions += 1;
      const here = transactions === Number(nth);
      if (here && when === 'before') end();
      const result = await target.transaction(tenantId, work);
      if (here && when === 'after') end();
      return result;
    };
  },
});
await openBus({ service: 'sync-worker', database: interrupted, amqpUrl: amqpUrl === '-' ? undefined : amqpUrl });
process.stdout.write('running\n');
