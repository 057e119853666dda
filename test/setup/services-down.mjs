import { rm } from 'node:fs/promises';

export default async function servicesDown() {
  const { removePreparedClusters } = await import('../../libs/testing/dist/prepared-cluster.js');
  await removePreparedClusters();
  if (process.env.AMQP_URL) {
    const { removeVhostsOfRun } = await import('../../libs/testing/dist/vhost-stock.js');
    await removeVhostsOfRun();
  }
  if (!globalThis.embeddedPostgres) return;
  await globalThis.embeddedPostgres.stop();
  await rm(globalThis.embeddedDataDir, { recursive: true, force: true });
  // In watch mode, the next run starts in this process.
  delete globalThis.embeddedPostgres;
  delete process.env.DATABASE_URL;
}
