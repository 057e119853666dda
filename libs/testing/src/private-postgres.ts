import { chmod, chown, copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, databaseUrl, migrate } from '@idsync/database';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@idsync/embedded-postgres';
import { DirectoryFixture } from './directory-fixture.js';
import { freePort } from './free-port.js';

const upWithinMs = 60_000;

/** A PostgreSQL of the test's own with one migrated database or none, to be killed without touching the one that all tests share. */
export class PrivatePostgres {
  private server: EmbeddedPostgres | undefined;

  private constructor(
    private readonly dataDir: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<PrivatePostgres> {
    const postgres = await PrivatePostgres.startEmpty();
    try {
      await createDatabase(postgres.serverUrl, 'idsync');
      await migrate(postgres.url);
      return postgres;
    } catch (error) {
      await postgres.remove();
      throw error;
    }
  }

  /** A new server without a database or a role of ours. */
  static async startEmpty(): Promise<PrivatePostgres> {
    const postgres = new PrivatePostgres(await mkdtemp(join(tmpdir(), 'idsync-postgres-')), await freePort());
    try {
      await postgres.up();
      return postgres;
    } catch (error) {
      await postgres.remove();
      throw error;
    }
  }

  /** The server, as its administrator. */
  get serverUrl(): string {
    if (!this.server) throw new Error('the private PostgreSQL was never up');
    return this.server.url;
  }

  /** The migrated database, as its administrator. */
  get url(): string {
    return databaseUrl(this.serverUrl, 'idsync');
  }

  /** Starts it on what it kept. Killed, it leaves processes that hold its memory for a moment: until they are gone it does not start. */
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

  /** From now on it speaks to nobody in the clear, and shows this certificate. */
  async requireTls(files: { certificate: string; key: string }): Promise<void> {
    const directory = join(this.dataDir, 'postgres');
    // Its user is another one than ours where we are root.
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

  /** SIGKILL to the postmaster; resolves when it is gone. */
  async kill(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const pid = Number.parseInt(await readFile(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGKILL');
    await server.stop();
  }

  async remove(): Promise<void> {
    await this.server?.stop();
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
}
