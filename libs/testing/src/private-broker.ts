import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';

/** The server itself: the command in the path is a script that may change the user first. */
export const brokerProgram = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** Paths of a server's certificate, its key, and its certificate authority. */
interface TlsFiles {
  ca: string;
  certificate: string;
  key: string;
}

interface PrivateBrokerOptions {
  /** Accepts only encrypted connections. */
  tls?: TlsFiles;
  cluster?: {
    /** Secret that the nodes share. */
    cookie: string;
    /** A running node whose cluster this one joins; without it, this is the first. */
    joins?: PrivateBroker;
  };
}

/**
 * A RabbitMQ for one test with its own node name, ports and files, which can be killed without affecting the shared
 * one. It starts in about ten seconds.
 */
export class PrivateBroker extends ServerProcess {
  private constructor(
    directory: string,
    port: number,
    env: NodeJS.ProcessEnv,
    private readonly scheme: 'amqp' | 'amqps',
    private readonly node: string,
  ) {
    super(directory, port, brokerProgram, [], env);
  }

  static async start({ tls, cluster }: PrivateBrokerOptions = {}): Promise<PrivateBroker> {
    const directory = await mkdtemp(join(tmpdir(), 'idsync-broker-'));
    await writeFile(join(directory, 'plugins'), '[].\n');
    const port = await freePort();
    const settings = join(directory, 'rabbitmq.conf');
    const node = `idsync${randomBytes(4).toString('hex')}@localhost`;
    await writeFile(settings, tls ? tlsAlone(port, tls) : clustered(cluster?.joins?.node ?? node));
    if (cluster) await writeFile(join(directory, '.erlang.cookie'), cluster.cookie, { mode: 0o400 });
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      RABBITMQ_NODENAME: node,
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(await freePort()),
      RABBITMQ_MNESIA_BASE: join(directory, 'db'),
      RABBITMQ_LOG_BASE: join(directory, 'log'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
      RABBITMQ_CONFIG_FILE: settings,
    };
    const broker = new PrivateBroker(directory, port, env, tls ? 'amqps' : 'amqp', node);
    try {
      await broker.up();
      return broker;
    } catch (error) {
      await broker.remove();
      throw error;
    }
  }

  get url(): string {
    return `${this.scheme}://guest:guest@127.0.0.1:${this.port}`;
  }

  /** Kills it and starts it again without its data. */
  async wipe(): Promise<void> {
    await this.kill();
    await rm(join(this.directory, 'db'), { recursive: true, force: true, maxRetries: 5 });
    await this.up();
  }
}

/** A node without a majority pauses, so that it does not accept what the others do not know. */
function clustered(firstNode: string): string {
  return `cluster_formation.peer_discovery_backend = classic_config
cluster_formation.classic_config.nodes.1 = ${firstNode}
cluster_partition_handling = pause_minority
`;
}

function tlsAlone(port: number, { ca, certificate, key }: TlsFiles): string {
  return `listeners.tcp = none
listeners.ssl.default = ${port}
ssl_options.cacertfile = ${ca}
ssl_options.certfile = ${certificate}
ssl_options.keyfile = ${key}
ssl_options.verify = verify_none
`;
}
