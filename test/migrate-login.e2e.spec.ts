import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { services } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { createDatabase, databaseUrl, migrate } from '@idsync/database/schema';
import { startEmbeddedPostgres } from '@idsync/embedded-postgres';
import { DirectoryFixture } from '@idsync/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

let folder: string;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;

// A dedicated server, because roles are shared by all databases of a server.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'idsync-login-'));
  server = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
});

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a login that is no superuser but may create roles migrates, and every service works with it', async () => {
  const admin = DirectoryFixture.connect(server.url);
  await admin.rows(`create role installer login createrole createdb bypassrls password 'secret'`);
  await admin.close();
  const login = new URL(server.url);
  Object.assign(login, { username: 'installer', password: 'secret' });
  await createDatabase(login.href, 'idsync');
  const url = databaseUrl(login.href, 'idsync');
  await migrate(url);
  for (const service of services) {
    const database = await Database.connect({ url, service });
    const rows = await database.withoutTenant((tx) => tx.query('select current_user as role'));
    expect(rows).toEqual([{ role: database.role }]);
    await database.close();
  }
});
