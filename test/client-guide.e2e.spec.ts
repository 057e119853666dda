import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTestDatabase, freePort, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transform } from '@swc/core';
import { Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

describe('docs/client.md', () => {
  let database: TestDatabase;
  let sources: string;
  let folder: string;
  let services: Services;
  let tenant: Tenant;
  let connector: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    sources = await mkdtemp(join(tmpdir(), 'idsync-guide-'));
    // Inside the repository, so that `@idsync/client` is found.
    folder = await mkdtemp(join(process.cwd(), 'test', '.guide-'));
    services = await Services.start({ databaseUrl: database.url, sourcesDir: sources, allowedCidrs: '127.0.0.0/8' });
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Guide');
    await writeFile(join(sources, 'people.csv'), 'id,name,title\n1,Ann Lee,Engineer\n2,Bo Ray,Clerk\n');
    connector = await createConnector(tenant, {
      type: 'csv',
      name: 'people',
      config: { path: 'people.csv', external_id: 'id', fields: { display_name: 'name', job_title: 'title' } },
    });
    await sync(tenant, connector);
  });

  afterAll(async () => {
    await services?.stop();
    await database?.drop();
    for (const used of [sources, folder]) if (used) await rm(used, { recursive: true });
  });

  it('is a program that compiles strictly, reads all people and receives each change', async () => {
    const guide = await readFile('docs/client.md', 'utf8');
    const program = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
    const source = join(folder, 'guide.ts');
    await writeFile(source, program);
    execFileSync('node_modules/.bin/tsc', [
      ...['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', source],
    ]);
    const { code } = await transform(program, { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } });
    await writeFile(join(folder, 'guide.mjs'), code);

    await writeFile(join(sources, 'people.csv'), 'id,name,title\n1,Ann Lee,Lead\n2,Bo Ray,Clerk\n3,Cy Fox,Clerk\n');
    const child = spawn(process.execPath, [join(folder, 'guide.mjs')], {
      env: {
        PATH: process.env.PATH,
        IDSYNC_URL: services.url,
        IDSYNC_KEY: tenant.key,
        CONNECTOR_ID: connector,
        RECEIVER_URL: `http://127.0.0.1:${await freePort()}/`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line);
        if (lines.includes('sync completed') && lines.filter((each) => each.startsWith('identity.')).length >= 2) break;
      }
    } finally {
      child.kill();
    }
    expect(lines.slice(0, 2)).toEqual(['2 people', 'Ann Lee']);
    expect(lines.slice(2).sort()).toEqual(['identity.created Cy Fox', 'identity.updated Ann Lee', 'sync completed']);
  });
});
