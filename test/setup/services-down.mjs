import { rm } from 'node:fs/promises';
import { problemsOf } from './check-statements.mjs';

export default async function servicesDown() {
  const problems = await problemsOfStatements();
  const { removePreparedClusters } = await import('../../libs/testing/dist/prepared-cluster.js');
  await removePreparedClusters();
  if (process.env.AMQP_URL) {
    const { removeVhostsOfRun } = await import('../../libs/testing/dist/vhost-stock.js');
    await removeVhostsOfRun();
  }
  if (globalThis.embeddedPostgres) {
    await globalThis.embeddedPostgres.stop();
    await rm(globalThis.embeddedDataDir, { recursive: true, force: true });
    // In watch mode, the next run starts in this process.
    delete globalThis.embeddedPostgres;
    delete process.env.DATABASE_URL;
  }
  if (problems.length > 0) throw new Error(`statements of the tests:\n${problems.join('\n')}`);
}

async function problemsOfStatements() {
  const { createTestDatabase } = await import('../../libs/testing/dist/test-database.js');
  const database = await createTestDatabase();
  const folder = process.env.IDSYNC_TEST_STATEMENTS;
  try {
    return await problemsOf(folder, database.url);
  } finally {
    await database.drop();
    await rm(folder, { recursive: true });
  }
}
