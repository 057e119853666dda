import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const upWithinMs = 90_000;

/** A server of the test's own that listens on a port of this machine. */
export class ServerProcess {
  private child: ChildProcess | undefined;

  /** `detached` (of `options`): it starts processes of its own, which end with it. */
  constructor(
    readonly port: number,
    private readonly command: string,
    private readonly args: readonly string[],
    private readonly options: Pick<SpawnOptions, 'env' | 'detached'> = {},
  ) {}

  /** Starts it on what it kept; resolves when it takes connections. */
  async up(): Promise<void> {
    this.child = spawn(this.command, this.args, { ...this.options, stdio: 'ignore' });
    for (const end = Date.now() + upWithinMs; Date.now() < end && isRunning(this.child); await sleep(50)) {
      if (await accepts(this.port)) return;
    }
    throw new Error(`${this.command} did not come up`);
  }

  /** SIGKILL, as a machine that loses power. */
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
