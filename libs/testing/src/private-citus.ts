import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, databaseUrl, migrate } from '@idsync/database/schema';
import { addCitusNode, createCitusDatabase } from './citus-database.js';
import { DirectoryFixture } from './directory-fixture.js';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';
import { until } from './until.js';

const packages = '/usr/lib/postgresql';
/** The programs of the PostgreSQL for which Citus is installed. */
const programs = (existsSync(packages) ? readdirSync(packages) : [])
  .map((version) => join(packages, version, 'bin'))
  .find((path) => existsSync(join(path, '../lib/citus.so')));
/** PostgreSQL refuses to run as root. */
const asPostgres =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_connections=300',
  'max_prepared_transactions=200',
  'max_worker_processes=24',
  'citus.recover_2pc_interval=2s',
  // Commits survive a kill of the server, but not a crash of the machine.
  'fsync=off',
  'logging_collector=on',
];
const shards = 8;
const upWithinMs = 120_000;

class Node extends ServerProcess {
  static async create(directory: string): Promise<Node> {
    run([`${programs}/initdb`, '-D', directory, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8']);
    const port = await freePort();
    const options = settings.flatMap((setting) => ['-c', setting]);
    const [command = '', ...words] = [...asPostgres, `${programs}/postgres`, '-D', directory, '-p', port, ...options];
    return new Node(directory, port, String(command), words.map(String), { PATH: '/usr/bin:/bin' });
  }

  get dataDir(): string {
    return this.directory;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** After a kill, its remaining processes hold shared memory for a moment, during which it cannot start. */
  override async up(): Promise<void> {
    const attempt = (work: Promise<unknown>) =>
      work.then(
        () => true,
        () => false,
      );
    await until(() => attempt(super.up()), 'a node of Citus', upWithinMs);
    const administrator = DirectoryFixture.connect(this.url);
    await until(() => attempt(administrator.rows('select 1')), 'the recovery of a node of Citus', upWithinMs);
    await administrator.close();
  }
}

/** A coordinator and workers of Citus for one run, with a migrated and distributed database. */
export class PrivateCitus {
  url = '';

  private constructor(
    readonly dataDir: string,
    /** The coordinator, then the workers. */
    readonly nodes: Node[] = [],
  ) {}

  /** Returns why none can be started. */
  static unavailable(): string | undefined {
    return programs ? undefined : `Citus is not installed: no ${packages}/*/lib/citus.so`;
  }

  /** Without workers, it is a plain PostgreSQL to compare with. */
  static async start(workers: number): Promise<PrivateCitus> {
    const citus = new PrivateCitus(await mkdtemp(join(tmpdir(), 'idsync-citus-')));
    if (asPostgres.length > 0) execFileSync('chown', ['postgres:', citus.dataDir]);
    try {
      for (let n = 0; n <= workers; n += 1) await citus.startNode();
      citus.url = await createDistributed(citus.nodes.map((node) => node.url));
      return citus;
    } catch (error) {
      await citus.remove();
      throw error;
    }
  }

  /** Starts another worker and adds it to the cluster; no rows are moved to it. */
  async addWorker(): Promise<void> {
    await addCitusNode(this.url, (await this.startNode()).url);
  }

  get coordinator(): Node {
    return this.nodes[0] as Node;
  }

  kill(): Promise<void> {
    return this.coordinator.kill();
  }

  up(): Promise<void> {
    return this.coordinator.up();
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.up();
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  /** Counts the transactions whose second phase a kill has prevented, and which Citus has completed. */
  completed(): number {
    const logs = this.nodes.flatMap(({ dataDir }) =>
      readdirSync(join(dataDir, 'log')).map((name) => join(dataDir, 'log', name)),
    );
    const lines = logs.flatMap((log) => readFileSync(log, 'utf8').match(/recovered a prepared transaction/g) ?? []);
    return lines.length;
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  private async startNode(): Promise<Node> {
    const node = await Node.create(join(this.dataDir, `node-${this.nodes.length}`));
    this.nodes.push(node);
    await node.up();
    return node;
  }
}

function run(words: readonly string[]): void {
  const [command = '', ...rest] = [...asPostgres, ...words];
  execFileSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' });
}

async function createDistributed(addresses: string[]): Promise<string> {
  if (addresses.length > 1) return (await createCitusDatabase(addresses, { shards, flushes: true })).url;
  const url = databaseUrl(String(addresses[0]), 'idsync');
  await createDatabase(url, 'idsync');
  await migrate(url);
  return url;
}
