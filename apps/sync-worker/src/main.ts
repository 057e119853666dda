import { readEnv, runService, startObserved, syncWorkerEnvironment } from '@idsync/runtime';
import { startSyncWorker } from './start.js';

await runService('sync-worker', async (stopping) => {
  const env = readEnv(syncWorkerEnvironment);
  return startObserved('sync-worker', env, stopping, () =>
    startSyncWorker({
      databaseUrl: env.DATABASE_URL,
      amqpUrl: env.AMQP_URL,
      sourcesDir: env.SOURCES_DIR,
      encryptionKeys: [env.ENCRYPTION_KEY, ...env.ENCRYPTION_KEYS_PREVIOUS],
      allowedCidrs: env.SOURCE_ALLOW_CIDRS,
      logLevel: env.LOG_LEVEL,
    }),
  );
});
