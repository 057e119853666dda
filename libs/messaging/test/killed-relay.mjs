// A relay of the sync-worker that prints its steps, and kills or suspends itself before or after one of them.
// Arguments: database url, AMQP url or -, before or after, step, SIGKILL or SIGSTOP.
import { Database } from '../../database/dist/index.js';
import { Bus } from '../dist/index.js';

const [, , url, amqpUrl, when, step, signal] = process.argv;
const database = await Database.connect({ url, service: 'sync-worker' });

/** Names of the statements of a relay. */
const steps = { 'oldest-of-outbox': 'read', 'delete-from-outbox': 'delete', 'forward-outbox': 'move' };
let hasLease = false;
function stepOf({ name, text }) {
  if (!text.includes('insert into relay_leases')) return steps[name];
  const lease = hasLease ? 'renew' : 'lease';
  hasLease = true;
  return lease;
}

/** The same transaction; calls `onStep` before its first statement if that is a step of the relay. */
function watched(tx, onStep) {
  let isFirst = true;
  const query = (text, ...values) => {
    const name = isFirst ? stepOf({ text }) : undefined;
    isFirst = false;
    if (name) onStep(name);
    return tx.query(text, ...values);
  };
  return new Proxy(tx, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) });
}

/** Prints where the relay is, then sends the signal if that is the place. */
const reached = (here, name) => {
  if (name) process.stdout.write(`${here} ${name}\n`);
  if (here === when && name === step) process.kill(process.pid, signal);
};

async function singleStatement(run, query) {
  const name = stepOf(query);
  reached('before', name);
  const rows = await run(query);
  reached('after', name);
  return rows;
}

async function transaction(run, work) {
  let begun;
  const result = await run((tx) =>
    work(
      watched(tx, (name) => {
        begun = name;
        reached('before', name);
      }),
    ),
  );
  reached('after', begun);
  return result;
}

const watchers = {
  withoutTenant: transaction,
  readAcrossTenants: singleStatement,
  writeWithoutTenant: singleStatement,
};

/** The same database, with the steps of the relay watched. */
const interrupted = new Proxy(database, {
  get(target, name) {
    const value = Reflect.get(target, name);
    if (typeof value !== 'function') return value;
    const run = value.bind(target);
    const watcher = watchers[name];
    return watcher ? (given) => watcher(run, given) : run;
  },
});
await Bus.open({ service: 'sync-worker', database: interrupted, amqpUrl: amqpUrl === '-' ? undefined : amqpUrl });
