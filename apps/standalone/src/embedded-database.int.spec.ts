import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const program = join(process.cwd(), 'bundle/standalone.js');
const isRoot = process.getuid?.() === 0;

let folder: string;
let dataDir: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'idsync-embedded-'));
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await exit;
  }
  child = undefined;
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

interface Running {
  errors: () => string;
  ended: Promise<number | null>;
  get(path: string): Promise<number>;
}

function launch(environment: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    ...environment,
  };
  const started = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child = started;
  let errors = '';
  started.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  let output = '';
  started.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  return {
    ended: once(started, 'exit').then(([code]) => code as number | null),
    errors: () => errors,
    isUp: () => output.includes('Stop it with'),
  };
}

/** Starts the program and resolves when it has synced its samples and accepts its credentials. */
async function start(environment: Record<string, string> = {}): Promise<Running> {
  const { ended, errors, isUp } = launch(environment);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const get = async (path: string) => {
    const { base_url, api_key } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    return (await fetch(base_url + path, { headers: { 'x-api-key': api_key } })).status;
  };
  await until(
    async () => {
      if (over) throw new Error(`the program ended: ${errors()}`);
      return isUp();
    },
    'the health of the gateway',
    180_000,
  );
  return { errors, ended, get };
}

async function postmaster(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}

async function variablesOf(pid: number): Promise<string[]> {
  const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  return environment.flatMap((line) => line.split('=')[0] || []).sort();
}

describe('npm start after its PostgreSQL was killed', () => {
  it('restarts PostgreSQL without its own environment variables, and the API responds again', async () => {
    const running = await start({ ADMIN_TOKEN: 'a-token-that-nobody-else-reads' });
    const before = await postmaster();
    expect(await variablesOf(before)).toEqual(['LC_ALL', 'PATH']);
    process.kill(before, 'SIGKILL');
    await until(async () => (await postmaster().catch(() => before)) !== before, 'a new postmaster', 180_000);
    await until(async () => (await running.get('/v1/identities').catch(() => 0)) === 200, 'an answer', 180_000);
    expect(await variablesOf(await postmaster())).toEqual(['LC_ALL', 'PATH']);
  });
});

describe('npm start with a PORT in use', () => {
  it('reports the port before it starts a database', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const { ended, errors } = launch({ PORT: String(port) });
    expect(await ended).toBe(1);
    other.close();
    expect(errors()).toBe(`idsync: PORT: cannot listen on 127.0.0.1:${port}: EADDRINUSE\n`);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  });
});

describe('the PostgreSQL of npm start', () => {
  // Only root can create the user.
  (isRoot ? it : it.skip)('runs as its own system user', async () => {
    await start();
    const passwd = await readFile('/etc/passwd', 'utf8');
    const uid = Number(passwd.match(/^idsync-postgres:[^:]*:(\d+):/m)?.[1]);
    expect((await stat(`/proc/${await postmaster()}`)).uid).toBe(uid);
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(uid);
  });
});

const canMount = isRoot && spawnSync('mount', ['--version']).status === 0;
if (!canMount) process.stderr.write('\nNot root: a full disk of the embedded PostgreSQL is not tested.\n');

(canMount ? describe : describe.skip)('npm start with a full disk', () => {
  it('exits with 1 and the reason if the disk stays full, and starts with its data when there is space again', async () => {
    await mkdir(dataDir);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755', 'tmpfs', dataDir]).status).toBe(0);
    try {
      const running = await start();
      const filler = join(dataDir, 'filler');
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'], { stdio: 'ignore' });
      // The write-ahead log needs new space at the next start.
      process.kill(await postmaster(), 'SIGKILL');
      expect(await running.ended).toBe(1);
      expect(running.errors()).toMatch(
        /the embedded PostgreSQL stopped, and 8 attempts .*: .*No space left on device/s,
      );
      await rm(filler);
      await start();
    } finally {
      if (child && child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGINT');
        await exit;
      }
      expect(spawnSync('umount', ['-l', dataDir]).status).toBe(0);
    }
  });
});
