import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, databaseUrl, migrate } from '@idsync/database/schema';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@idsync/embedded-postgres';
import { DirectoryFixture } from './directory-fixture.js';
import { freePort } from './free-port.js';
import { fillDataDir } from './prepared-cluster.js';

const run = promisify(execFile);

const upWithinMs = 60_000;

/** A PostgreSQL for one test, migrated or empty, which can be killed without affecting the shared one. */
export class PrivatePostgres {
  private server: EmbeddedPostgres | undefined;

  private constructor(
    readonly dataDir: string,
    private readonly port: number,
  ) {}

  /** Creates its data in a new folder in `parent`. */
  static start(parent = tmpdir()): Promise<PrivatePostgres> {
    return PrivatePostgres.startOn(parent, 'migrated', async (postgres) => {
      await createDatabase(postgres.serverUrl, 'idsync');
      await migrate(postgres.url);
    });
  }

  /** Starts a server without databases or roles of idsync. */
  static startEmpty(parent = tmpdir()): Promise<PrivatePostgres> {
    return PrivatePostgres.startOn(parent, 'empty', async () => undefined);
  }

  private static async startOn(
    parent: string,
    kind: string,
    fill: (postgres: PrivatePostgres) => Promise<void>,
  ): Promise<PrivatePostgres> {
    const port = await freePort();
    const postgres = new PrivatePostgres(await mkdtemp(join(parent, 'idsync-postgres-')), port);
    try {
      await fillDataDir(postgres.dataDir, kind, async (dataDir) => {
        const first = new PrivatePostgres(dataDir, port);
        await first.up();
        try {
          await first.withoutFsync();
          await fill(first);
        } finally {
          await first.stop();
        }
      });
      await postgres.up();
      return postgres;
    } catch (error) {
      await postgres.remove();
      throw error;
    }
  }

  /** Starts a streaming replica of it, which copies its data. It is restarted for that. */
  async replica(parent = tmpdir()): Promise<PrivatePostgres> {
    const replica = new PrivatePostgres(await mkdtemp(join(parent, 'idsync-replica-')), await freePort());
    const directory = join(replica.dataDir, 'postgres');
    try {
      const { password } = new URL(this.serverUrl);
      await this.stop();
      await run('cp', ['-a', `${this.dataDir}/.`, replica.dataDir]);
      const address = `host=127.0.0.1 port=${this.port} user=postgres password=${password}`;
      await appendFile(join(directory, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`);
      await run('cp', ['-a', join(directory, 'PG_VERSION'), join(directory, 'standby.signal')]);
      await this.up();
      await replica.up();
      return replica;
    } catch (error) {
      await replica.remove();
      throw error;
    }
  }

  /** Administrator connection to the server. */
  get serverUrl(): string {
    if (!this.server) throw new Error('the private PostgreSQL was not started');
    return this.server.url;
  }

  /** Administrator connection to the migrated database. */
  get url(): string {
    return databaseUrl(this.serverUrl, 'idsync');
  }

  /**
   * Starts it with its existing data. After a kill, its remaining processes hold shared memory for a moment, during
   * which it cannot start.
   */
  async up(): Promise<void> {
    for (const end = Date.now() + upWithinMs; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      try {
        this.server = await startEmbeddedPostgres({ dataDir: this.dataDir, port: this.port });
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  /** Makes commits several times as fast. They survive a kill of the server, but not a crash of the machine. */
  private async withoutFsync(): Promise<void> {
    const administrator = DirectoryFixture.connect(this.serverUrl);
    await administrator.rows('alter system set fsync = off');
    await administrator.rows('select pg_reload_conf()');
    await administrator.close();
  }

  /** Makes it accept only encrypted connections from now on, with this certificate. */
  async requireTls(files: { certificate: string; key: string }): Promise<void> {
    const directory = join(this.dataDir, 'postgres');
    // As root, PostgreSQL runs as another user.
    const { uid, gid } = await stat(directory);
    for (const [from, name] of [
      [files.certificate, 'server.crt'],
      [files.key, 'server.key'],
    ] as const) {
      const file = join(directory, name);
      await copyFile(from, file);
      await chmod(file, 0o600);
      await chown(file, uid, gid);
    }
    const rules = join(directory, 'pg_hba.conf');
    await writeFile(rules, (await readFile(rules, 'utf8')).replaceAll(/^host\b/gm, 'hostssl'));
    const administrator = DirectoryFixture.connect(this.serverUrl);
    await administrator.rows('alter system set ssl = on');
    await administrator.rows('select pg_reload_conf()');
    await administrator.close();
  }

  /** Sends SIGKILL to the postmaster; resolves when it has ended. */
  async kill(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const pid = Number.parseInt(await readFile(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGKILL');
    await server.stop();
  }

  /** Stops its remaining processes and starts it with its existing data, as a supervisor does. */
  async restart(): Promise<void> {
    await this.stop();
    await this.up();
  }

  /** Stops it; its data stays. */
  async stop(): Promise<void> {
    await this.server?.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
}
