import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';

const installer = '/usr/bin/mariadb-install-db';
const program = '/usr/sbin/mariadbd';
const installedWithinMs = 60_000;

/** A MariaDB for one test, in a temporary folder on a free port. Its user `root` has no password. */
export class PrivateMariaDb extends ServerProcess {
  /** Returns true if Debian's mariadb-server-core is installed. */
  static isInstalled(): boolean {
    return existsSync(installer) && existsSync(program);
  }

  static async start(options: readonly string[] = []): Promise<PrivateMariaDb> {
    const directory = await mkdtemp(join(tmpdir(), 'idsync-mariadb-'));
    const port = await freePort();
    const common = [
      '--no-defaults',
      `--datadir=${join(directory, 'data')}`,
      `--user=${userInfo().username}`,
      '--skip-name-resolve',
    ];
    const mariaDb = new PrivateMariaDb(directory, port, program, [
      ...common,
      `--socket=${join(directory, 'socket')}`,
      `--pid-file=${join(directory, 'pid')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      // Makes commits several times as fast. They survive a kill of the server, but not a crash of the machine.
      '--innodb-flush-log-at-trx-commit=2',
      '--innodb-flush-method=nosync',
      ...options,
    ]);
    execFileSync(installer, [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], {
      stdio: 'ignore',
      timeout: installedWithinMs,
    });
    await mariaDb.up();
    return mariaDb;
  }
}
