// A relay of the sync-worker that kills or suspends itself at a given transaction.
// Arguments: database url, AMQP url or -, number of the transaction, before or after, SIGKILL or SIGSTOP.
import { Database } from '../../database/dist/index.js';
import { Bus } from '../dist/index.js';

const [, , url, amqpUrl, nth, when, signal] = process.argv;
const database = await Database.connect({ url, service: 'sync-worker' });
let transactions = 0;
const end = () => process.kill(process.pid, signal);

/** The same database, but it sends the signal before or after the given transaction. */
const interrupted = new Proxy(database, {
  get(target, name) {
    if (name !== 'withoutTenant') {
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    }
    return async (work) => {
      transactions += 1;
      const here = transactions === Number(nth);
      if (here && when === 'before') end();
      const result = await target.withoutTenant(work);
      if (here && when === 'after') end();
      return result;
    };
  },
});
await Bus.open({ service: 'sync-worker', database: interrupted, amqpUrl: amqpUrl === '-' ? undefined : amqpUrl });
process.stdout.write('running\n');
