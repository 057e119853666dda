import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDatabase, freePort, type TestDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { environmentOf } from './support/services.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'bundle');

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
    const service = spawn(process.execPath, [join(folder, `${name}.js`)], {
      env: await env(port),
      cwd: folder,
      stdio: 'inherit',
    });
    const exit = once(service, 'exit');
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok;
    await until(isReady, 'the readiness of the service', 90_000);
    service.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('migrate finds the schema up to date', async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'migrate.js')], { env: await env(0), cwd: folder });
    expect(stdout).toContain('the schema is up to date');
  });

  it('prints stack traces that name TypeScript sources', async () => {
    const words = ['--import', printStack, join(folder, 'directory.js')];
    const { stdout } = await run(process.execPath, words, { env: await env(0), cwd: folder });
    expect(stdout).toMatch(/libs\/runtime\/src\/env\.ts:\d+:\d+/);
  });
});

describe('the files of a program in an image', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'idsync-image-'));
    const packages = join(folder, 'packages.cdx.json');
    const { stdout } = await run('npm', ['sbom', '--sbom-format=cyclonedx'], { cwd: root, maxBuffer: 2 ** 26 });
    await writeFile(packages, stdout);
    const copyProgram = join(root, 'tools/bundler/copy-program.mjs');
    await run(process.execPath, [copyProgram, 'gateway', folder, packages]);
    await run(process.execPath, [copyProgram, 'idsync', join(folder, 'cli'), packages]);
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('are all that it loads', async () => {
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'gateway.js')], {
      env: {},
      cwd: folder,
    }).catch((e) => e);
    expect(`${stdout}${stderr}`).toContain('DATABASE_URL');
    expect(`${stdout}${stderr}`).not.toContain('ERR_MODULE_NOT_FOUND');
    expect(await readdir(join(folder, 'console/static'))).toContain('index.html');
  });

  it('are all that the command line loads, without packages of the services', async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'cli/idsync.js'), '--version'], { cwd: folder });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { components } = JSON.parse(await readFile(join(folder, 'cli/sbom.cdx.json'), 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['commander', 'yaml']));
    expect(names.filter((name: string) => /fastify|nestjs|^pg$|typeorm/.test(name))).toEqual([]);
  });

  it('list exactly the bundled packages, as CycloneDX, and their licences', async () => {
    const list = JSON.parse(await readFile(join(folder, 'sbom.cdx.json'), 'utf8'));
    const licenses = await readFile(join(folder, 'licenses.txt'), 'utf8');
    const names: string[] = list.components.map(({ purl }: { purl: string }) =>
      decodeURIComponent(/^pkg:npm\/([^@]*)@/.exec(purl)?.[1] ?? ''),
    );
    expect(list.bomFormat).toBe('CycloneDX');
    expect(names).toEqual(
      expect.arrayContaining(['@nestjs/core', '@scalar/fastify-api-reference', 'fastify', 'pg', 'react']),
    );
    expect(names.filter((name) => /embedded|ldapts|mysql2|typescript|jest/.test(name))).toEqual([]);
    expect(names.filter((name) => !licenses.includes(`${name} `))).toEqual([]);
  });
});
