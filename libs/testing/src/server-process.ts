import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Several nodes of RabbitMQ that start at once on a busy machine take two minutes. */
const upWithinMs = 240_000;

/** A server for one test that listens on a local port. */
export class ServerProcess {
  private child: ChildProcess | undefined;

  /** `detached` (of `options`): the server has child processes, which are killed with it. */
  constructor(
    readonly port: number,
    private readonly command: string,
    private readonly args: readonly string[],
    private readonly options: Pick<SpawnOptions, 'env' | 'detached'> = {},
  ) {}

  /** Starts it with its existing data; resolves when it accepts connections. */
  async up(): Promise<void> {
    this.child = spawn(this.command, this.args, { ...this.options, stdio: 'ignore' });
    for (const end = Date.now() + upWithinMs; Date.now() < end && isRunning(this.child); await sleep(50)) {
      if (await accepts(this.port)) return;
    }
    throw new Error(`${this.command} did not start`);
  }

  /** Sends SIGKILL, which simulates a power loss. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child?.pid || !isRunning(child)) return;
    const exit = once(child, 'exit');
    process.kill(this.options.detached ? -child.pid : child.pid, 'SIGKILL');
    await exit;
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
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
