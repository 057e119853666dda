import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const program = `import { type Event, type Identity, IdsyncClient, verifyWebhook } from '@idsync/client';
import { createBrowserClient } from '@idsync/client/operator';

const [baseUrl = '', request = ''] = process.argv.slice(2);
const idsync = new IdsyncClient({ baseUrl, apiKey: 'the-key' });
const people: Partial<Identity>[] = [];
for await (const person of idsync.identities.list({ status: 'active' })) people.push(person);
// @ts-expect-error The types of the package refuse a filter that the API lacks.
idsync.identities.list({ nothing: true });
const event: Event = verifyWebhook(JSON.parse(request));
console.log(JSON.stringify({ people, event, browser: typeof createBrowserClient }));
`;

describe('the npm packages, packed and installed in an empty folder,', () => {
  const contents = new Map<string, string[]>();
  const requests: string[] = [];
  let folder: string;
  let gateway: Server;
  let url: string;

  const installed = (path: string) => readFile(join(folder, 'node_modules', path), 'utf8');
  const idsync = (...words: string[]) =>
    run(join(folder, 'node_modules/.bin/idsync'), words, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, IDSYNC_URL: url, ADMIN_TOKEN: 'the-token' },
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'idsync-packages-'));
    const packages = ['-w', '@idsync/client', '-w', '@idsync/cli'];
    const packed = await run('npm', ['pack', '--json', '--pack-destination', folder, ...packages], { cwd: root });
    const tarballs = Object.values(JSON.parse(packed.stdout)) as {
      name: string;
      filename: string;
      files: { path: string }[];
    }[];
    for (const { name, files } of tarballs)
      contents.set(
        name,
        files.map(({ path }) => path),
      );
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const paths = tarballs.map(({ filename }) => join(folder, filename));
    const options = ['--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...options, ...paths], { cwd: folder });
    gateway = createServer((request, response) => {
      requests.push(`${request.headers['x-api-key'] ?? request.headers.authorization} ${request.url}`);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: [{ id: 'one', name: 'One' }], total: 1, limit: 100, offset: 0 }));
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('contain their licence, and neither sources nor tests', async () => {
    const licence = await readFile(join(root, 'LICENSE'), 'utf8');
    expect([...contents.keys()].sort()).toEqual(['@idsync/cli', '@idsync/client']);
    for (const [name, files] of contents) {
      expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE']));
      expect(files.filter((path) => /^src|spec|tsbuildinfo|cache\//.test(path))).toEqual([]);
      expect(await installed(`${name}/LICENSE`)).toBe(licence);
    }
  });

  it('have no packages of the workspace as dependencies, and are not private', async () => {
    for (const name of contents.keys()) {
      const { private: isPrivate, dependencies = {} } = JSON.parse(await installed(`${name}/package.json`));
      expect({ isPrivate, own: Object.keys(dependencies).filter((each) => each.startsWith('@idsync/')) }).toEqual({
        own: [],
      });
    }
  });

  it('let a program in TypeScript compile, read people and verify a webhook', async () => {
    const compilerOptions = {
      ...{ strict: true, target: 'es2023', lib: ['es2023'], module: 'nodenext', types: ['node'] },
      typeRoots: [join(root, 'node_modules/@types')],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    await writeFile(join(folder, 'program.ts'), program);
    const compiled = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error) => error);
    expect(compiled.stdout).toBe('');

    const [id, at, body] = ['evt_1', new Date(), JSON.stringify({ id: 'evt_1', type: 'user.created' })];
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    const words = [join(folder, 'program.js'), url, JSON.stringify({ body, headers, secret })];
    const { stdout } = await run(process.execPath, words, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      people: [{ id: 'one', name: 'One' }],
      event: JSON.parse(body),
      browser: 'function',
    });
    expect(requests).toContainEqual(expect.stringMatching(/^the-key \/v1\/identities\?.*status=active/));
  });

  it('run idsync: its version, its help and a command', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect((await idsync('--version')).stdout).toBe(`${version}\n`);
    expect((await idsync('--help')).stdout).toContain('Usage: idsync');
    expect(JSON.parse((await idsync('tenants', 'list', '--json')).stdout).data).toEqual([{ id: 'one', name: 'One' }]);
    expect(requests).toContainEqual(expect.stringMatching(/^Bearer the-token \/admin\/v1\/tenants/));
  });
});
