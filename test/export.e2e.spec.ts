import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeId } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, createTenant, type Tenant } from './support/client.js';
import { commandLine } from './support/command-line.js';
import { Services } from './support/services.js';

/** Events of 32 KB each: an export of a hundred megabytes. */
const events = 3_000;

let database: TestDatabase;
let fixture: DirectoryFixture;
let services: Services;
let tenant: Tenant;
let cwd: string;

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = DirectoryFixture.connect(database.url);
  cwd = await mkdtemp(join(tmpdir(), 'idsync-export-'));
  services = await Services.start({ databaseUrl: database.url, sourcesDir: cwd });
  tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Large');
  const id = decodeId('tenant', tenant.id);
  const [{ last }] = (await fixture.rows<{ last: number }>(
    `update event_sequences set last = last + ${events} where tenant_id = $1 returning (last - ${events})::integer as last`,
    [id],
  )) as [{ last: number }];
  await fixture.rows(
    `insert into events (tenant_id, sequence, id, type, occurred_at, details)
     select $1, $2::bigint + n, gen_random_uuid(), 'user.created', now(), jsonb_build_object('text', repeat(md5(n::text), 1000))
       from generate_series(1, ${events}) n`,
    [id, last],
  );
});

afterAll(async () => {
  await services?.stop();
  await fixture?.close();
  await database?.drop();
  await rm(cwd, { recursive: true });
});

describe('the export of a tenant by the CLI', () => {
  const { idsync } = commandLine(() => ({ services, tenant, cwd }));

  it('continues when its gateway was killed and another one has started: every line is in the file once', async () => {
    const exported = idsync('tenants', 'export', tenant.id, '--file', 'large.jsonl');
    const size = async () => {
      const part = (await readdir(cwd)).find((name) => name.endsWith('.part'));
      return part === undefined ? 0 : (await stat(join(cwd, part))).size;
    };
    await until(async () => (await size()) > 1_000_000, 'the first lines of the export');
    await services.kill('gateway');
    services.launch('gateway');
    const { code, err } = await exported;
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('the export continues') });
    const lines = (await readFile(join(cwd, 'large.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const sequences = lines.filter(({ kind }) => kind === 'event').map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, n) => sequences[0] + n));
    expect(sequences.length).toBeGreaterThanOrEqual(events);
    expect(lines.at(-1)).toMatchObject({ kind: 'end', lines: { tenant: 1, continued: 1, event: sequences.length } });
  });
});
