// A temporary database for a benchmark, on DATABASE_URL or an embedded PostgreSQL.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, databaseUrl, dropDatabase, migrate } from '../../libs/database/dist/schema/index.js';
import { startEmbeddedPostgres } from '../../libs/embedded-postgres/dist/index.js';

/** Runs `work({ url, folder })` with a migrated database and a folder, and removes both afterwards. */
export async function withBenchDatabase(work) {
  const folder = await mkdtemp(join(tmpdir(), 'idsync-bench-'));
  const embedded = process.env.DATABASE_URL
    ? undefined
    : await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const server = process.env.DATABASE_URL ?? embedded.url;
  const name = `idsync_bench_${randomBytes(4).toString('hex')}`;
  const url = databaseUrl(server, name);
  try {
    await createDatabase(server, name);
    await migrate(url);
    await work({ url, folder });
  } finally {
    await dropDatabase(server, name);
    await embedded?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
