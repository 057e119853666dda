import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AlreadyRunningError } from './data-dir-lock.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';

const program = fileURLToPath(new URL('../test/run-embedded.mjs', import.meta.url));
let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'idsync-embedded-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
});

async function startChild(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // A killed server reports its end here.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function serverPid(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

async function gone(pid: number): Promise<boolean> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

describe('the embedded PostgreSQL', () => {
  it('keeps its data across restarts', async () => {
    const first = await startEmbeddedPostgres({ dataDir });
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await startEmbeddedPostgres({ dataDir });
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('rejects connections without its password', async () => {
    const server = await startEmbeddedPostgres({ dataDir });
    const url = new URL(server.url);
    url.password = 'guess';
    await expect(query(url.toString(), 'select 1')).rejects.toThrow('password authentication failed');
    await server.stop();
  });

  it('stops with its parent, even after SIGKILL, and has every acknowledged row at the next start', async () => {
    const { child, url } = await startChild();
    await query(url, 'create table kept (n int)');
    await query(url, 'insert into kept select generate_series(1, 1000)');
    const pid = await serverPid();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    const again = await startEmbeddedPostgres({ dataDir });
    expect(await gone(pid)).toBe(true);
    expect(await query(again.url, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
    await again.stop();
  });

  it('refuses a second process on its directory and names the running one', async () => {
    const { child } = await startChild();
    const second = startEmbeddedPostgres({ dataDir });
    await expect(second).rejects.toThrow(AlreadyRunningError);
    await expect(second).rejects.toThrow(`(process ${child.pid})`);
  });

  it('starts over after it was killed while it created its cluster', async () => {
    await mkdir(join(dataDir, 'postgres.new-half', 'base'), { recursive: true });
    const server = await startEmbeddedPostgres({ dataDir });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  });
});
