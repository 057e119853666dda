// A relay of the sync-worker that kills or suspends itself at a given transaction.
// Arguments: database url, AMQP url or -, number of the transaction, before or after, SIGKILL or SIGSTOP.
import { Database } from '../../database/dist/index.js';
import { Bus } from '../dist/index.js';

const [, , url, amqpUrl, nth, when, signal] = process.argv;
const database = await Database.connect({ url, service: 'sync-worker' });
/** Lease, reading, moving and deleting. The bus also counts messages and reports its process. */
const statementOfRelay = /relay_leases|message_id as "messageId"|delete from outbox/;
let transactions = 0;
const end = () => process.kill(process.pid, signal);

/** The same transaction, but before its first statement, and if that is one of the relay, it calls `onRelay`. */
function watched(tx, onRelay) {
  let isFirst = true;
  const query = (sql, ...values) => {
    if (isFirst && statementOfRelay.test(sql)) onRelay();
    isFirst = false;
    return tx.query(sql, ...values);
  };
  return new Proxy(tx, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) });
}

/** The same database, but it sends the signal before or after the given transaction of the relay. */
const interrupted = new Proxy(database, {
  get(target, name) {
    if (name !== 'withoutTenant') {
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    }
    return async (work) => {
      let isHere = false;
      const begun = () => {
        transactions += 1;
        isHere = transactions === Number(nth);
        if (isHere && when === 'before') end();
      };
      const result = await target.withoutTenant((tx) => work(watched(tx, begun)));
      if (isHere && when === 'after') end();
      return result;
    };
  },
});
await Bus.open({ service: 'sync-worker', database: interrupted, amqpUrl: amqpUrl === '-' ? undefined : amqpUrl });
process.stdout.write('running\n');
