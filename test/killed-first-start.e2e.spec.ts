import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase, describeSchema } from '@idsync/database/schema';
import { DirectoryFixture, PrivatePostgres, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RunningCode } from './support/running-code.js';
import { between, type Random, seededRandom } from './support/seeded-random.js';

jest.setTimeout(600_000);

const root = join(fileURLToPath(new URL('.', import.meta.url)), '..');
const program = join(root, 'bundle/standalone.js');
const seed = Number(process.env.FAULT_SEED ?? 1);
const kills = { making: 4, made: 6 };
const longestStartMs = 120_000;

interface Credentials {
  base_url: string;
  admin_token: string;
  api_key: string;
  tenant_id: string;
}

/** State after a start, as a user sees it. */
interface StartState {
  tenants: string[];
  connectors: string[];
  people: number;
  files: string[];
}

class FirstStart {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private output = '';

  constructor(readonly dataDir: string) {
    const env = { PATH: process.env.PATH, HOME: dataDir, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'fatal' };
    this.child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: root });
    this.ended = once(this.child, 'close');
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString('utf8');
      });
    }
  }

  get runs(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async credentials(): Promise<Credentials> {
    await until(() => !this.runs || this.output.includes('Stop it with'), 'the welcome', longestStartMs);
    if (!this.runs) throw new Error(`the process ended: ${this.output}`);
    return JSON.parse(await readFile(join(this.dataDir, 'credentials.json'), 'utf8'));
  }

  /** Throws with the output if the process has already ended. */
  async kill(): Promise<void> {
    if (!this.runs) throw new Error(`the process ended before it was killed: ${this.output}`);
    this.child.kill('SIGKILL');
    await this.ended;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGINT');
    await this.ended;
  }
}

async function stateAfterStart(dataDir: string): Promise<StartState> {
  const start = new FirstStart(dataDir);
  try {
    const { base_url, admin_token, api_key, tenant_id } = await start.credentials();
    const get = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(base_url + path, { headers });
      expect([path, answer.status]).toEqual([path, 200]);
      return (await answer.json()) as { data: { name: string }[]; total: number };
    };
    const operator = { authorization: `Bearer ${admin_token}` };
    return {
      tenants: (await get('/admin/v1/tenants', operator)).data.map(({ name }) => name),
      connectors: (await get(`/admin/v1/tenants/${tenant_id}/connectors`, operator)).data
        .map(({ name }) => name)
        .sort(),
      people: (await get('/v1/identities?limit=1', { 'x-api-key': api_key })).total,
      files: (await readdir(dataDir)).sort(),
    };
  } finally {
    await start.stop();
  }
}

/**
 * Kills a start at most `withinMs` after it created a file that begins with one of `names`. Resolves when the process
 * has ended.
 */
async function killed(dataDir: string, names: string[], random: Random, withinMs: number): Promise<void> {
  const startedAt = Date.now();
  const start = new FirstStart(dataDir);
  const begun = () => names.some((name) => isNewer(dataDir, name, startedAt));
  await until(() => !start.runs || begun(), 'the moment of the kill', longestStartMs);
  await pause(between(random, 0, withinMs));
  await start.kill();
}

/** Returns true if this start created the file, because a killed one before may have left the same. */
function isNewer(dataDir: string, beginning: string, than: number): boolean {
  const [folder, name] = [join(dataDir, dirname(beginning)), basename(beginning)];
  if (!existsSync(folder)) return false;
  const times = readdirSync(folder).filter((each) => each.startsWith(name));
  return times.some((each) => (statSync(join(folder, each), { throwIfNoEntry: false })?.mtimeMs ?? 0) >= than);
}

describe('a first start that is killed', () => {
  const folders: string[] = [];
  let whole: StartState;

  beforeAll(async () => {
    whole = await stateAfterStart(await folder());
    process.stdout.write(`FAULT_SEED=${seed}\n`);
  });

  afterAll(async () => {
    for (const each of folders) await rm(each, { recursive: true, force: true, maxRetries: 10 });
  });

  async function folder(): Promise<string> {
    folders.push(await mkdtemp(join(tmpdir(), 'idsync-first-')));
    return folders.at(-1) as string;
  }

  it('during initdb, the migration or the first sync is completed by the next start', async () => {
    const random = seededRandom(seed);
    const dataDir = await folder();
    const made = join('postgres', 'postmaster.pid');
    for (let kill = 0; kill < kills.making; kill += 1) await killed(dataDir, ['postgres.new-', made], random, 700);
    for (let kill = 0; kill < kills.made; kill += 1) await killed(dataDir, [made], random, 2_500);
    expect(await stateAfterStart(dataDir)).toEqual(whole);
  });
});

/** Resolves when a transaction of the database is seen, or when `ended` resolves before. */
async function inTransaction(server: PrivatePostgres, database: string, ended: Promise<unknown>): Promise<void> {
  const administrator = DirectoryFixture.connect(server.serverUrl);
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  try {
    await until(async () => {
      const begun = await administrator.rows(
        'select from pg_stat_activity where datname = $1 and xact_start is not null',
        [database],
      );
      return isEnded || begun.length > 0;
    }, 'a transaction of the migration');
  } finally {
    await administrator.close();
  }
}

describe('PostgreSQL killed during a migration', () => {
  let server: PrivatePostgres;

  beforeAll(async () => {
    server = await PrivatePostgres.startEmpty();
  });

  afterAll(() => server?.remove());

  it('fails the migration, and the next one creates the same schema as an undisturbed one', async () => {
    const random = seededRandom(seed);
    await createDatabase(server.serverUrl, 'whole');
    const [whole, url] = [new URL(server.serverUrl), new URL(server.serverUrl)];
    [whole.pathname, url.pathname] = ['/whole', '/disturbed'];
    const began = performance.now();
    await RunningCode.migrate(root, whole.toString());
    const undisturbedMs = performance.now() - began;
    await createDatabase(server.serverUrl, 'disturbed');
    let failed = 0;
    for (let kill = 0; kill < 5; kill += 1) {
      const migrated = RunningCode.migrate(root, url.toString()).then(
        () => 'done',
        () => 'failed',
      );
      await inTransaction(server, 'disturbed', migrated);
      // The first one is killed at once, and is therefore never done.
      await pause(between(random, 0, (kill * undisturbedMs) / 4));
      await server.kill();
      if ((await migrated) === 'failed') failed += 1;
      await server.up();
    }
    await RunningCode.migrate(root, url.toString());
    expect(failed).toBeGreaterThan(0);
    expect(await describeSchema(url.toString())).toBe(await describeSchema(whole.toString()));
  });
});
