import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const program = join(process.cwd(), 'bundle/standalone.js');

/** An address on which no program listens. */
const unreachable = '127.0.0.1:1';

interface Ended {
  code: number | null;
  errors: string;
}

interface Credentials {
  base_url: string;
  api_key?: string;
  tenant_id?: string;
}

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'idsync-main-'));
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

function start(environment: Record<string, string>): { child: ChildProcess; ended: Promise<Ended> } {
  const env = { PATH: process.env.PATH, HOME: dataDir, DATA_DIR: dataDir, PORT: '0', ...environment };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<Ended>((resolve) => {
    child.once('exit', (code) => resolve({ code, errors: Buffer.concat(chunks).toString('utf8') }));
  });
  return { child, ended };
}

describe('npm start', () => {
  it.each([
    ['PORT', 'abc', 'it must be a port number'],
    ['SOURCES_DIR', '/nowhere', 'it must be a folder'],
    ['DATABASE_URL', 'mysql://db', 'it must look like postgres://user:password@host:5432/database'],
    [
      'AMQP_URL',
      'http://broker',
      'it must look like amqp://user:password@host:5672, or several of these separated by commas',
    ],
  ])('reports an invalid %s in one line and exits with 2', async (name, value, what) => {
    expect(await start({ [name]: value }).ended).toEqual({
      code: 2,
      errors: `idsync: ${name} is not valid: ${what}\n`,
    });
  });

  it('reports the variable and the server if PostgreSQL is unreachable, and exits with 1', async () => {
    expect(await start({ DATABASE_URL: `postgres://me:hunter2@${unreachable}/idsync` }).ended).toEqual({
      code: 1,
      errors: `idsync: DATABASE_URL: cannot reach ${unreachable}: ECONNREFUSED\n`,
    });
  });

  it('shuts down when its standard output is closed', async () => {
    const { child, ended } = start({});
    child.stdout?.destroy();
    expect(await ended).toEqual({ code: 0, errors: '' });
  });
});

describe('npm start during a long first sync', () => {
  it('shuts down without waiting for the sync', async () => {
    const sources = await mkdtemp(join(tmpdir(), 'idsync-large-'));
    const rows = Array.from({ length: 100_000 }, (_, n) => `${n},person${n}@example.org`);
    await writeFile(join(sources, 'hr.csv'), `ident,mail\n${rows.join('\n')}\n`);
    const config = { path: 'hr.csv', external_id: 'ident', fields: { email: 'mail' } };
    const connectors = [{ type: 'csv', name: 'Large', records: 'user', priority: 10, config }];
    await writeFile(join(sources, 'demo.json'), JSON.stringify({ tenant: 'Large', connectors }));

    const { child, ended } = start({ SOURCES_DIR: sources });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes('Large')) child.kill('SIGINT');
    });
    // The exit code would be 1 if the start had to be interrupted.
    expect((await ended).code).toBe(0);
    expect(output).not.toContain('completed');
    await rm(sources, { recursive: true, force: true });
  });
});

describe('a restart of npm start', () => {
  let database: TestDatabase;
  let ownSources: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    ownSources = await mkdtemp(join(tmpdir(), 'idsync-own-'));
    await writeFile(join(ownSources, 'hr.csv'), 'ident,mail\n1,own@example.org\n');
  });

  afterAll(async () => {
    await database?.drop();
    await rm(ownSources, { recursive: true, force: true });
  });

  async function credentials(): Promise<Credentials> {
    return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
  }

  /** Starts the program, does `work` once it runs, stops it and returns its output. */
  async function during(environment: Record<string, string>, work: (now: Credentials) => Promise<void>) {
    const { child, ended } = start({ DATABASE_URL: database.url, LOG_LEVEL: 'fatal', ...environment });
    let output = '';
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
        if (output.includes('Stop it with')) resolve();
      });
    });
    try {
      await work(await credentials());
    } finally {
      child.kill('SIGINT');
    }
    expect(await ended).toEqual({ code: 0, errors: '' });
    return output;
  }

  async function get(now: Credentials, path: string): Promise<{ total: number }> {
    const response = await fetch(now.base_url + path, { headers: { 'x-api-key': now.api_key ?? '' } });
    expect(response.status).toBe(200);
    return (await response.json()) as { total: number };
  }

  it('reuses the tenant and its API key with another sources folder and without the demo', async () => {
    let first: Credentials | undefined;
    let people = 0;
    await during({}, async (now) => {
      first = now;
      people = (await get(now, '/v1/identities?limit=1')).total;
    });
    expect(people).toBeGreaterThan(0);
    const same = { tenant_id: first?.tenant_id, api_key: first?.api_key };
    const others: Record<string, string>[] = [{ SOURCES_DIR: ownSources }, { DEMO: '0' }];
    for (const environment of others) {
      await during(environment, async (now) => {
        expect(now).toMatchObject(same);
        expect((await get(now, '/v1/identities?limit=1')).total).toBe(people);
      });
    }
  });

  it('issues an API key if the stored one belongs to another tenant or is invalid', async () => {
    const before = await credentials();
    const file = join(dataDir, 'credentials.json');
    const { admin_token } = JSON.parse(await readFile(file, 'utf8')) as { admin_token: string };
    await during({ SOURCES_DIR: ownSources }, async (now) => {
      const headers = { authorization: `Bearer ${admin_token}`, 'content-type': 'application/json' };
      const made = await fetch(`${now.base_url}/admin/v1/tenants`, {
        method: 'POST',
        headers,
        body: '{"name":"Other"}',
      });
      const { id } = (await made.json()) as { id: string };
      await writeFile(file, JSON.stringify({ ...now, tenant_id: id }));
    });
    const { tenant_id: other } = await credentials();
    expect(other).not.toBe(before.tenant_id);
    await during({ DEMO: '0' }, async (now) => {
      expect(now.tenant_id).toBe(other);
      expect(now.api_key).toBeUndefined();
    });
    await during({ SOURCES_DIR: ownSources }, async (now) => {
      expect(now.tenant_id).toBe(other);
      expect((await get(now, '/v1/identities')).total).toBe(0);
    });
  });

  it('starts and reports that RabbitMQ is unreachable', async () => {
    const output = await during({ AMQP_URL: `amqp://${unreachable}` }, async (now) => {
      await get(now, '/v1/identities');
    });
    expect(output).toContain(
      'RabbitMQ (AMQP_URL) is unreachable. Sync jobs are accepted and run once it is reachable.',
    );
    expect(output).toContain('continues in the background');
  });
});
