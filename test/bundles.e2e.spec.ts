import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDatabase, freePort, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { environmentOf } from './support/services.js';
import { until } from './support/until.js';

jest.setTimeout(120_000);

const run = promisify(execFile);
const bundle = fileURLToPath(new URL('../bundle', import.meta.url));

/** Prints the stack of the first read of DATABASE_URL. */
const printStack = `data:text/javascript,${encodeURIComponent(
  `process.env = new Proxy(process.env, { get(values, name) {
    if (name !== 'DATABASE_URL') return values[name];
    process.stdout.write(new Error().stack);
    process.exit();
  } });`,
)}`;

describe('a bundled program outside a checkout, without installed packages,', () => {
  let folder: string;
  let database: TestDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'idsync-bundle-'));
    await cp(bundle, folder, { recursive: true });
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const env = async (internalPort: number) =>
    environmentOf({ databaseUrl: database.url, sourcesDir: folder }, await freePort(), internalPort);

  it.each(['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'])('%s becomes ready', async (name) => {
    const port = await freePort();
    const service = spawn(process.execPath, [join(folder, `${name}.js`)], { env: await env(port), stdio: 'inherit' });
    const exit = once(service, 'exit');
    await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true);
    service.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('migrate finds the schema up to date', async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'migrate.js')], { env: await env(0) });
    expect(stdout).toContain('the schema is up to date');
  });

  it('idsync prints its version', async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'idsync.js'), '--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('prints stack traces that name TypeScript sources', async () => {
    const words = ['--import', printStack, join(folder, 'directory.js')];
    const { stdout } = await run(process.execPath, words, { env: await env(0) });
    expect(stdout).toMatch(/libs\/runtime\/src\/env\.ts:\d+:\d+/);
  });
});
