import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, createTenant, type Tenant } from './support/client.js';
import { commandLine } from './support/command-line.js';
import { Services } from './support/services.js';

jest.setTimeout(120_000);

let database: TestDatabase;
let services: Services;
let tenant: Tenant;
let cwd: string;
const { idsync } = commandLine(() => ({ services, tenant, cwd }));

const file = `version: 1
settings:
  time_zone: Europe/Berlin
  grace_days: 60
  log_reads: true
  connector_time_zones:
    - {connector: HR, time_zone: Europe/Paris}
connectors:
  - name: HR
    type: csv
    priority: 10
    config: {path: hr.csv, external_id: ident, fields: {email: email}}
    schedule: {every: 1h}
  - name: IdP
    type: scim-push
    config: {}
    safeguard: {max_deleted_percent: 5}
attribute_priorities:
  - {field: "*", connector: IdP, priority: 5}
  - {field: email, connector: HR, priority: 1}
matching_rules:
  certain: [employee_number, email]
  weak: []
webhooks:
  - callback_url: https://receiver.example.com
    events: [user.*]
    filter: {field: data.status, equals: active}
`;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'idsync-config-'));
  database = await createTestDatabase();
  services = await Services.start({ databaseUrl: database.url, sourcesDir: cwd });
  await writeFile(join(cwd, 'tenant.yaml'), file);
});

afterAll(async () => {
  await services?.stop();
  await database?.drop();
  await rm(cwd, { recursive: true });
});

const newTenant = async (name: string) => {
  tenant = await createTenant(Client.operator(services.url, services.adminToken), name);
};

describe('the configuration of a tenant as a file', () => {
  it('is applied once, exported, and applied to another tenant with the same result', async () => {
    await newTenant('First');
    expect((await idsync('diff', '-f', 'tenant.yaml')).code).toBe(1);
    const applied = await idsync('apply', '-f', 'tenant.yaml', '--yes');
    expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('create') });
    const again = await idsync('apply', '-f', 'tenant.yaml', '--yes', '--prune');
    expect(again).toMatchObject({ code: 0, err: '0 create, 0 update, 0 delete, 6 unchanged\n' });
    expect(await idsync('diff', '-f', 'tenant.yaml', '--prune')).toMatchObject({ code: 0 });
    const exported = (await idsync('export')).out;
    await writeFile(join(cwd, 'exported.yaml'), exported);
    expect(await idsync('diff', '-f', 'exported.yaml', '--prune')).toMatchObject({ code: 0 });
    await newTenant('Second');
    expect((await idsync('apply', '-f', 'exported.yaml', '--yes')).code).toBe(0);
    expect((await idsync('export')).out).toBe(await readFile(join(cwd, 'exported.yaml'), 'utf8'));
  });

  it('deletes what the file does not list only with --prune', async () => {
    await writeFile(join(cwd, 'less.yaml'), 'version: 1\nconnectors: []\nattribute_priorities: []\nwebhooks: []\n');
    await idsync('apply', '-f', 'less.yaml', '--yes');
    expect((await idsync('export')).out).toContain('name: HR');
    expect((await idsync('apply', '-f', 'less.yaml', '--yes', '--prune')).code).toBe(0);
    const { out } = await idsync('export');
    expect(out).toContain('connectors: []');
    expect(out).toContain('webhooks: []');
  });
});
