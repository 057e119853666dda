import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

/** The server itself: the command in the path is a script that may change the user first. */
export const brokerProgram = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const upWithinMs = 90_000;

/** A RabbitMQ of the test's own, with its own node name, ports and files, to be killed without touching the shared one. */
export class PrivateBroker {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly distPort: number,
    private readonly node: string,
  ) {}

  static async start(): Promise<PrivateBroker> {
    const directory = await mkdtemp(join(tmpdir(), 'idsync-broker-'));
    await writeFile(join(directory, 'plugins'), '[].\n');
    const node = `idsync${randomBytes(4).toString('hex')}@localhost`;
    const broker = new PrivateBroker(directory, await freePort(), await freePort(), node);
    try {
      await broker.up();
      return broker;
    } catch (error) {
      await broker.remove();
      throw error;
    }
  }

  get url(): string {
    return `amqp://guest:guest@127.0.0.1:${this.port}`;
  }

  /** Starts it on what it kept; resolves when it takes connections. About ten seconds. */
  async up(): Promise<void> {
    const { directory } = this;
    this.child = spawn(brokerProgram, [], {
      detached: true,
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        RABBITMQ_NODENAME: this.node,
        RABBITMQ_NODE_PORT: String(this.port),
        RABBITMQ_DIST_PORT: String(this.distPort),
        RABBITMQ_MNESIA_BASE: join(directory, 'db'),
        RABBITMQ_LOG_BASE: join(directory, 'log'),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
        RABBITMQ_CONFIG_FILE: join(directory, 'none'),
      },
    });
    for (const end = Date.now() + upWithinMs; Date.now() < end; await new Promise((r) => setTimeout(r, 100))) {
      if (await accepts(this.port)) return;
    }
    throw new Error('the private RabbitMQ did not come up');
  }

  /** SIGKILL, as a machine that loses power. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await exit;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
