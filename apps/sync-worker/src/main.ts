import { readEnv, runService, syncWorkerEnvironment } from '@idsync/runtime';
import { startSyncWorker } from './start.js';

await runService('sync-worker', async () => {
  const env = readEnv(syncWorkerEnvironment);
  return startSyncWorker({
    databaseUrl: env.DATABASE_URL,
    amqpUrl: env.AMQP_URL,
    sourcesDir: env.SOURCES_DIR,
    logLevel: env.LOG_LEVEL,
  });
});
