import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { createTestDatabase, freePort, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transform } from '@swc/core';
import { parse } from 'yaml';
import { Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { commandLine } from './support/command-line.js';
import { Services } from './support/services.js';

let database: TestDatabase;
let sources: string;
let folder: string;
let services: Services;
let tenant: Tenant;
let connector: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  sources = await mkdtemp(join(tmpdir(), 'idsync-examples-'));
  // Inside the repository, so that `@idsync/client` is found.
  folder = await mkdtemp(join(process.cwd(), 'test', '.guide-'));
  services = await Services.start({ databaseUrl: database.url, sourcesDir: sources, allowedCidrs: '127.0.0.0/8' });
  tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Examples');
  await writeFile(join(sources, 'people.csv'), 'id,name,title\n1,Ann Lee,Engineer\n2,Bo Ray,Clerk\n');
  connector = await createConnector(tenant, {
    type: 'csv',
    name: 'people',
    config: { path: 'people.csv', external_id: 'id', fields: { display_name: 'name', job_title: 'title' } },
  });
  await sync(tenant, connector);
});

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await services?.stop();
  await database?.drop();
  for (const used of [sources, folder]) if (used) await rm(used, { recursive: true });
});

/** Compiles a program strictly, starts it and returns it with its lines. */
async function start(name: string, program: string, env: NodeJS.ProcessEnv): Promise<[ChildProcess, Interface]> {
  const source = join(folder, `${name}.ts`);
  await writeFile(source, program);
  execFileSync('node_modules/.bin/tsc', [
    ...['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', source],
  ]);
  const { code } = await transform(program, { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } });
  await writeFile(join(folder, `${name}.mjs`), code);
  const child = spawn(process.execPath, [`${name}.mjs`], {
    cwd: folder,
    env: { PATH: process.env.PATH, IDSYNC_URL: services.url, IDSYNC_KEY: tenant.key, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  return [child, createInterface({ input: child.stdout })];
}

/** Ends the program when it has written enough lines, and returns all of them. */
async function linesOf([child, output]: [ChildProcess, Interface], isEnough: (lines: string[]) => boolean) {
  const lines: string[] = [];
  for await (const line of output) {
    lines.push(line);
    if (isEnough(lines)) child.kill();
  }
  return lines;
}

const sequenceOf = (line = '') => Number(line.split(' ')[0]);
const example = (file: string) => readFile(join('examples', file), 'utf8');

describe('docs/client.md', () => {
  it('is a program that compiles strictly, reads all people and receives each change', async () => {
    const guide = await readFile('docs/client.md', 'utf8');
    const program = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
    await writeFile(join(sources, 'people.csv'), 'id,name,title\n1,Ann Lee,Lead\n2,Bo Ray,Clerk\n3,Cy Fox,Clerk\n');
    const started = await start('guide', program, {
      CONNECTOR_ID: connector,
      RECEIVER_URL: `http://127.0.0.1:${await freePort()}/`,
    });
    const lines = await linesOf(
      started,
      (read) => read.includes('sync completed') && read.filter((each) => each.startsWith('identity.')).length >= 2,
    );
    expect(lines.slice(0, 2)).toEqual(['2 people', 'Ann Lee']);
    expect(lines.slice(2).sort()).toEqual(['identity.created Cy Fox', 'identity.updated Ann Lee', 'sync completed']);
  });
});

describe('examples/typescript', () => {
  it('follow-events goes on after a restart where it ended, and skips no event', async () => {
    const program = await example('typescript/follow-events.ts');
    const first = await linesOf(await start('follow', program, {}), ({ length }) => length === 3);
    await writeFile(join(sources, 'people.csv'), 'id,name,title\n1,Ann Lee,Chief\n2,Bo Ray,Clerk\n3,Cy Fox,Clerk\n');
    await sync(tenant, connector);
    const { body } = await tenant.client.get('/v1/events?after=0&limit=200');
    const newest = body.data.at(-1).sequence;
    const rest = await linesOf(await start('follow', program, {}), (read) => sequenceOf(read.at(-1)) >= newest);
    const sequences = [...first, ...rest].map(sequenceOf);
    // The program ended after the line and perhaps before it had stored the position of that event.
    expect(sequences.length - new Set(sequences).size).toBeLessThanOrEqual(1);
    expect([...new Set(sequences)].slice(0, newest)).toEqual(Array.from({ length: newest }, (_, at) => at + 1));
  });

  it('receive-webhook accepts what idsync signs, and nothing else', async () => {
    const callback_url = `http://127.0.0.1:${await freePort()}/`;
    const webhook = await tenant.client.post('/v1/webhooks', { callback_url, events: ['identity.*'] });
    const started = await start('receive', await example('typescript/receive-webhook.ts'), {
      WEBHOOK_SECRET: webhook.body.signing_secret,
      PORT: new URL(callback_url).port,
    });
    const lines = linesOf(started, ({ length }) => length === 1);
    await writeFile(join(sources, 'people.csv'), 'id,name,title\n1,Ann Lee,Fellow\n2,Bo Ray,Clerk\n3,Cy Fox,Clerk\n');
    await sync(tenant, connector);
    expect(await lines).toEqual([expect.stringMatching(/^\d+ identity\.updated evt_\w+$/)]);
  });
});

describe('examples/configuration', () => {
  it('shows each change in a pull request, applies it on main, and finds no difference afterwards', async () => {
    const { jobs } = parse(await example('configuration/workflow.yml'));
    const [, inPullRequest, onMain] = jobs.configuration.steps.map(({ run = '' }: { run?: string }) =>
      run
        .replace('$IDSYNC ', '')
        .replace(/ \|\|.*/, '')
        .split(' '),
    );
    await cp('examples/configuration', folder, { recursive: true });
    const operator = Client.operator(services.url, services.adminToken);
    const fresh = await createTenant(operator, 'Configured');
    const { idsync } = commandLine(() => ({
      ...{ services, tenant: fresh, cwd: folder },
      env: { INTRANET_TOKEN: 'secret' },
    }));
    expect(await idsync(...inPullRequest)).toMatchObject({ code: 1, out: expect.stringContaining('Intranet') });
    expect(await idsync(...onMain)).toMatchObject({ code: 0 });
    expect(await idsync(...inPullRequest)).toMatchObject({ code: 0 });
  });
});
