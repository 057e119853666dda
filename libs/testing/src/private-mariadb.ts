import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

const installer = '/usr/bin/mariadb-install-db';
const program = '/usr/sbin/mariadbd';
const upWithinMs = 60_000;

/** A MariaDB of the test's own, in a temporary folder on a free port. Its user `root` has no password. */
export class PrivateMariaDb {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly options: readonly string[],
    readonly port: number,
  ) {}

  /** True if Debian's mariadb-server-core is installed. */
  static isInstalled(): boolean {
    return existsSync(installer) && existsSync(program);
  }

  static async start(options: readonly string[] = []): Promise<PrivateMariaDb> {
    const directory = await mkdtemp(join(tmpdir(), 'idsync-mariadb-'));
    const server = new PrivateMariaDb(directory, options, await freePort());
    const data = `--datadir=${join(directory, 'data')}`;
    const user = `--user=${userInfo().username}`;
    execFileSync(
      installer,
      [
        '--no-defaults',
        data,
        user,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
        '--skip-name-resolve',
      ],
      { stdio: 'ignore', timeout: upWithinMs },
    );
    await server.up();
    return server;
  }

  /** Starts it on what it kept; resolves when it takes connections. */
  async up(): Promise<void> {
    const { directory, port } = this;
    this.child = spawn(
      program,
      [
        '--no-defaults',
        `--datadir=${join(directory, 'data')}`,
        `--socket=${join(directory, 'socket')}`,
        `--pid-file=${join(directory, 'pid')}`,
        `--user=${userInfo().username}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        ...this.options,
      ],
      { stdio: 'ignore' },
    );
    for (const end = Date.now() + upWithinMs; Date.now() < end; await new Promise((r) => setTimeout(r, 50))) {
      if (await accepts(port)) return;
    }
    throw new Error('the private MariaDB did not come up');
  }

  /** SIGKILL, as a machine that loses power. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
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
