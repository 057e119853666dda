import { readEnv, runService, syncWorkerEnvironment } from '@idsync/runtime';
import { startSyncWorker } from './start.js';

await runService('sync-worker', async () => {
  const env = readEnv(syncWorkerEnvironment);
  return startSyncWorker({
    databaseUrl: env.DATABASE_URL,
    amqpUrl: env.AMQP_URL,
    sourcesDir: env.SOURCES_DIR,
    encryptionKeys: [env.ENCRYPTION_KEY, ...env.ENCRYPTION_KEYS_PREVIOUS],
    allowedCidrs: env.SOURCE_ALLOW_CIDRS,
    logLevel: env.LOG_LEVEL,
  });
});
