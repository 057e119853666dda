import { randomBytes } from 'node:crypto';
import { importDefinitions } from './broker-definitions.js';
import { deleteUsers, rabbitmqctl } from './rabbitmqctl.js';
import { giveBackVhost, takeVhost } from './vhost-stock.js';

export interface BrokerVhost {
  url: string;
  name: string;
  /** Dead-letter queues that are not empty, each with its number of messages. */
  dead(): Promise<string[]>;
  /** Creates a login with these permissions on the virtual host; resolves with its address. */
  login(user: string, permissions: { configure: string; write: string; read: string }): Promise<string>;
  drop(): Promise<void>;
}

/** True if the suites that need RabbitMQ can run; otherwise the test run has printed a notice. */
export function hasBroker(): boolean {
  return Boolean(process.env.AMQP_URL);
}

/** Creates a virtual host for one test file on the broker of AMQP_URL; rabbitmqctl must reach that broker. */
export async function createVhost(): Promise<BrokerVhost> {
  const server = process.env.AMQP_URL;
  if (!server) throw new Error('AMQP_URL is not set');
  const url = new URL(server);
  const name = await takeVhost(decodeURIComponent(url.username) || 'guest');
  url.pathname = `/${name}`;
  const dead = async () => {
    const queues = await rabbitmqctl('list_queues', '-p', name, '--no-table-headers', 'name', 'messages');
    return queues.split('\n').filter((line) => /\.dead\t[1-9]/.test(line));
  };
  const users: string[] = [];
  const login: BrokerVhost['login'] = async (user, { configure, write, read }) => {
    const own = new URL(url);
    own.username = `${name}-${user}`;
    own.password = randomBytes(12).toString('hex');
    users.push(own.username);
    await importDefinitions(own.username, {
      users: [{ name: own.username, password: own.password, tags: '' }],
      permissions: [{ user: own.username, vhost: name, configure, write, read }],
    });
    return own.toString();
  };
  const drop = async () => {
    await giveBackVhost(name);
    if (users.length > 0) await deleteUsers(users);
  };
  return { url: url.toString(), name, dead, login, drop };
}

/** The bus of a suite that needs only one: a virtual host if there is a broker, else PostgreSQL, which needs nothing. */
export async function vhostIfAny(): Promise<BrokerVhost | undefined> {
  return hasBroker() ? createVhost() : undefined;
}
