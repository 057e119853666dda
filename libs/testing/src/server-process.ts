import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Several nodes of RabbitMQ that start at once on a busy machine take two minutes. */
const upWithinMs = 240_000;

/**
 * A server for one test that listens on a local port and has its files in a directory. It ends with this process, and its
 * children end with it.
 */
export class ServerProcess {
  private child: ChildProcess | undefined;

  constructor(
    protected readonly directory: string,
    readonly port: number,
    private readonly command: string,
    private readonly args: readonly string[],
    private readonly env?: NodeJS.ProcessEnv,
  ) {}

  /** Starts it with its existing data; resolves when it accepts connections. */
  async up(): Promise<void> {
    const child = spawn(this.command, this.args, { env: this.env, stdio: 'ignore', detached: true });
    this.child = child;
    const watcher = spawn('/bin/sh', ['-c', 'cat >/dev/null; kill -s KILL -- "-$0"', String(child.pid)], {
      detached: true,
      // The pipe closes however this process ends.
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    watcher.unref();
    child.once('exit', () => watcher.kill());
    for (const end = Date.now() + upWithinMs; Date.now() < end && isRunning(child); await sleep(50)) {
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
    process.kill(-child.pid, 'SIGKILL');
    await exit;
  }

  /** Kills it and deletes its files. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
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
