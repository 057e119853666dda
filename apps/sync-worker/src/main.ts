import { readEnv, runService, startObserved, syncWorkerEnvironment } from '@idsync/runtime';
import { startSyncWorker } from './start.js';

await runService('sync-worker', async (stopping) => {
  const env = readEnv(syncWorkerEnvironment);
  return startObserved('sync-worker', env, stopping, () => startSyncWorker(env));
});
