// A temporary database for a benchmark, on DATABASE_URL or an embedded PostgreSQL.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, databaseUrl, dropDatabase, migrate } from '../../libs/database/dist/schema/index.js';
import { startEmbeddedPostgres } from '../../libs/embedded-postgres/dist/index.js';
import { bareConnection } from './bare-connection.mjs';

/**
 * Runs `work({ url, folder })` with a migrated database and a folder, and removes both afterwards. `settings` are those
 * of an embedded PostgreSQL.
 */
export async function withBenchDatabase(work, settings = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'idsync-bench-'));
  const embedded = process.env.DATABASE_URL ? undefined : await startWith(join(folder, 'data'), settings);
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

/** Some settings need a restart. */
async function startWith(dataDir, settings) {
  const embedded = await startEmbeddedPostgres({ dataDir });
  if (Object.keys(settings).length === 0) return embedded;
  const admin = await bareConnection(embedded.url);
  for (const [name, value] of Object.entries(settings)) await admin.query(`alter system set ${name} = '${value}'`);
  await admin.end();
  await embedded.stop();
  return startEmbeddedPostgres({ dataDir });
}
