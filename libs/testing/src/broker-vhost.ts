import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface BrokerVhost {
  url: string;
  name: string;
  /** Queues of given-up messages that hold any, each with how many. */
  dead(): Promise<string[]>;
  drop(): Promise<void>;
}

/** True if the suites that need RabbitMQ can run; the test run has said so aloud if not. */
export function hasBroker(): boolean {
  return Boolean(process.env.AMQP_URL);
}

/** A virtual host of its own for one test file, on the broker of AMQP_URL; rabbitmqctl must reach that broker. */
export async function createVhost(): Promise<BrokerVhost> {
  const server = process.env.AMQP_URL;
  if (!server) throw new Error('AMQP_URL is not set');
  const url = new URL(server);
  const name = `idsync-test-${randomBytes(6).toString('hex')}`;
  await rabbitmqctl('add_vhost', name);
  await rabbitmqctl('set_permissions', '-p', name, decodeURIComponent(url.username) || 'guest', '.*', '.*', '.*');
  url.pathname = `/${name}`;
  const dead = async () => {
    const queues = await rabbitmqctl('list_queues', '-p', name, '--no-table-headers', 'name', 'messages');
    return queues.split('\n').filter((line) => /\.dead\t[1-9]/.test(line));
  };
  return { url: url.toString(), name, dead, drop: async () => void (await rabbitmqctl('delete_vhost', name)) };
}

async function rabbitmqctl(...words: string[]): Promise<string> {
  const { stdout } = await run('rabbitmqctl', ['--quiet', ...words], { timeout: 60_000 });
  return stdout;
}
