import { rm } from 'node:fs/promises';
import { dropDatabase } from '../../libs/database/dist/index.js';

export default async function servicesDown() {
  await dropDatabase(process.env.DATABASE_URL, process.env.IDSYNC_TEST_TEMPLATE);
  if (!globalThis.embeddedPostgres) return;
  await globalThis.embeddedPostgres.stop();
  await rm(globalThis.embeddedDataDir, { recursive: true, force: true });
}
