import { readEnv, runService, standaloneEnvironment, startObserved } from '@idsync/runtime';
import { startStandalone } from './start.js';

await runService('idsync', async (stopping) => {
  const env = readEnv(standaloneEnvironment);
  return startObserved('idsync', env, stopping, () => startStandalone(env, process.stdout, stopping));
});
