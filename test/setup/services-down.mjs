import { rm } from 'node:fs/promises';

export default async function servicesDown() {
  if (!globalThis.embeddedPostgres) return;
  await globalThis.embeddedPostgres.stop();
  await rm(globalThis.embeddedDataDir, { recursive: true, force: true });
  // In watch mode, the next run starts in this process.
  delete globalThis.embeddedPostgres;
  delete process.env.DATABASE_URL;
}
